/**
 * The messages of one connection: matches answers to requests and notices to their receivers. It has its own ids, reads
 * only what it needs for that, and passes on every message in order, without the `_meta` keys of the hub.
 */
import { dropOldest } from '../base/drop-oldest.ts'
import { plainNumber } from '../base/exact-numbers.ts'
import { InFlightMap } from '../base/in-flight-map.ts'
import type { Log } from '../base/log.ts'
import { isReturnable } from '../base/returned-text.ts'
import type { Client, Params, RpcRequest } from '../mcp/mcp.ts'
import { errorCode, isRecord, metaKey, metaOf, notification, RpcError } from '../mcp/mcp.ts'
import { createClientRequests } from './client-requests.ts'
import { removeOwnMeta } from './own-meta.ts'
import { idOf, isForEverybody, ownId, withoutSubscription } from './peer-message.ts'
import type { QuestionBudget } from './question-budget.ts'
import type { RevisionChecks } from './revision-checks.ts'
import type { SendOptions, UpstreamTransport } from './transport.ts'
import type { Fate } from './unanswered.ts'
import { fateOf, orUnanswered, Unanswered } from './unanswered.ts'
import type { UpstreamListener, UpstreamRequest } from './upstream-types.ts'

export interface Peer {
  /** `asker`: who sends the request, if it is not the hub itself. */
  request(method: string, params: Params, options: PeerRequest, asker?: Asker): Promise<object>
  notify(method: string, params: Params | undefined, options?: SendOptions): Promise<void>
  /** Returns whether it answers an open request. */
  receive(message: unknown, during?: RpcRequest): boolean
  garbage(reason: string): void
  lost(request: RpcRequest, reason: string): void
  /** Rejects every open request and every later one. */
  end(fate: Fate, reason: string): void
  /** Whether a message arrived since the last check. */
  wasHeard(): boolean
  readonly isBusy: boolean
}

export interface Asker {
  readonly client: Pick<Client, 'capabilities' | 'info'>
  /** Stays the same each time one call is sent. */
  readonly key: string | undefined
}

/** A request as it is sent. */
export interface Enveloped {
  readonly message: RpcRequest
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Closing the answer cancels the request, so no cancellation is sent. */
  readonly isCancelledByClosing: boolean
}

export interface PeerRequest extends Pick<
  UpstreamRequest,
  'signal' | 'headers' | 'onProgress' | 'onNotification' | 'onAsk'
> {
  readonly timeoutMs?: number | undefined
  /** For a listen request: receives each of its notices. */
  readonly onNotice?: (method: string, params: Params | undefined) => void
}

export interface PeerOptions {
  readonly transport: UpstreamTransport
  readonly listener: Pick<UpstreamListener, 'notification' | 'ask' | 'isShared'>
  readonly log: Log
  /** Set in strict mode. */
  readonly checks: RevisionChecks | undefined
  readonly onDropped: () => void
  /** Of all upstreams. */
  readonly questionBudget: QuestionBudget
  /** Puts our request into its envelope. The id is also the progress token. */
  envelope(id: number, method: string, params: Params, options: PeerRequest, asker: Asker | undefined): Enveloped
}

interface Exchange {
  readonly id: number
  readonly method: string
  readonly options: PeerRequest
  readonly isCancelledByClosing: boolean
  readonly resolve: (result: object) => void
  readonly reject: (reason: unknown) => void
  readonly onAbort: () => void
  timer: NodeJS.Timeout | undefined
}

/** How many cancelled requests may still be answered without counting as a protocol error. */
const maxCancelled = 1_000

export function createPeer(options: PeerOptions): Peer {
  const { transport, listener, log, checks } = options
  const running = new InFlightMap<number, Exchange>()
  const cancelled = new Set<number>()
  const clientRequests = createClientRequests({
    send: (message) => transport.send(message),
    log,
    budget: options.questionBudget.ofUpstream(),
  })
  let lastId = 0
  /** How many of our running requests a question could belong to. */
  let askers = 0
  let isHeard = false
  let ended: string | undefined

  function settle(exchange: Exchange): void {
    running.delete(exchange.id)
    clearTimeout(exchange.timer)
    exchange.options.signal.removeEventListener('abort', exchange.onAbort)
    clientRequests.endOf(exchange.id)
    if (exchange.options.onAsk && --askers === 0) clientRequests.endOrphans()
  }

  function cancel(exchange: Exchange, error: RpcError): void {
    settle(exchange)
    cancelled.add(exchange.id)
    dropOldest(cancelled, maxCancelled)
    exchange.reject(error)
    if (!exchange.isCancelledByClosing) {
      const params = { requestId: exchange.id, reason: error.message }
      transport.send(notification('notifications/cancelled', params)).catch(logUnsent)
    }
    transport.abandon(exchange.id)
  }

  const logUnsent = (error: unknown) => log.debug({ error }, 'a message to an upstream was not sent')

  function answer(message: Readonly<Record<string, unknown>>, during: RpcRequest | undefined): boolean {
    const exchange = running.get(idOf(message, { during, running, isStrict: checks !== undefined }))
    if (!exchange) dropAnswer(message['id'])
    else resolve(exchange, message)
    return exchange !== undefined
  }

  function resolve(exchange: Exchange, message: Readonly<Record<string, unknown>>): void {
    settle(exchange)
    const breach = checks?.envelope(message)
    if (breach !== undefined) return exchange.reject(breach)
    const { error, result } = message
    if (error !== undefined) return exchange.reject(errorOf(error))
    try {
      exchange.resolve(checks ? checks.result(exchange.method, result) : (result as object))
    } catch (fault) {
      exchange.reject(fault)
    }
  }

  function dropAnswer(id: unknown): void {
    options.onDropped()
    log.debug({ id }, 'an answer without an open request was dropped')
    // The answer and our cancellation may have crossed.
    if (typeof id === 'number' && cancelled.delete(id)) return
    const isSecond = Number.isInteger(id) && Number(id) > 0 && Number(id) <= lastId
    checks?.report(isSecond ? 'It answered one request twice.' : 'It answered with an id that matches no request.')
  }

  function notice(method: string, params: Params | undefined, during: RpcRequest | undefined): void {
    if (method === 'notifications/progress') return progress(params)
    if (method === 'notifications/cancelled') return withdraw(params?.['requestId'])
    const subscription = metaOf(params)[metaKey.subscriptionId]
    const source = running.get(ownId(subscription ?? during?.id))?.options
    if (source?.onNotice) return source.onNotice(method, withoutSubscription(params))
    if (isForEverybody(method)) return listener.notification(method, withoutSubscription(params))
    // The notice belongs to a stream that we have closed.
    if (subscription !== undefined) return
    if (source?.onNotification) return source.onNotification(method, params)
    const only = method === 'notifications/message' ? onlyListener() : undefined
    if (only) only(method, params)
    else listener.notification(method, params)
  }

  function route(message: Readonly<Record<string, unknown>>, during: RpcRequest | undefined): boolean {
    const { method, params } = message
    if (typeof method !== 'string') return answer(message, during)
    if (checks?.envelope(message)) return false
    if ('id' in message) ask(message as unknown as RpcRequest, during)
    // Code that copies the fields of a long text makes one for each of its characters.
    else if (params === undefined || params === null || isRecord(params)) notice(method, params ?? undefined, during)
    else garbage('the "params" of a notice are not an object')
    return false
  }

  function garbage(reason: string): void {
    isHeard = true
    log.debug({ reason }, 'an upstream sent something that is not a message')
    checks?.report('It sent something that is not a JSON-RPC message.')
  }

  /** The upstream cancels its own request, or ends a stream of notices. */
  function withdraw(id: unknown): void {
    if (clientRequests.cancel(id)) return
    const exchange = running.get(ownId(id))
    if (exchange?.options.onNotice) lose(exchange, 'It ended the subscription.')
  }

  function lose(exchange: Exchange, reason: string): void {
    settle(exchange)
    exchange.reject(new Unanswered('lost', reason))
  }

  function progress(params: Params | undefined): void {
    const { progressToken, ...rest } = params ?? {}
    const step = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plainNumber(value)]))
    running.get(ownId(progressToken))?.options.onProgress?.(step)
  }

  /**
   * Log lines over stdio name no request. If only one request runs, they belong to it. If sessions share the upstream, a
   * late line may belong to a request of another session.
   */
  function onlyListener(): UpstreamRequest['onNotification'] {
    if (listener.isShared?.()) return undefined
    const listening = [...running.values()].filter(({ options }) => options.onNotification)
    return listening.length === 1 ? listening[0]?.options.onNotification : undefined
  }

  function ask(message: RpcRequest, during: RpcRequest | undefined): void {
    if (!isReturnable(message.id)) checks?.report('It sent a request with an id that is too long to be sent back.')
    const owner = during && running.get(Number(during.id))
    const asker = during ? owner : likeliestAsker()
    clientRequests.run(message, asker?.options.onAsk ?? listener.ask, owner?.id)
  }

  /**
   * A question outside the answer to a request does not say which request it belongs to. The latest one is the most
   * likely, unless it may be of another session.
   */
  function likeliestAsker(): Exchange | undefined {
    if (listener.isShared?.()) return undefined
    return [...running.values()].findLast(({ options }) => options.onAsk)
  }

  return {
    request: (method, params, request, asker) =>
      new Promise((resolve, reject) => {
        const { signal, timeoutMs } = request
        if (ended !== undefined) return reject(new Unanswered('unsent', ended))
        if (signal.aborted) return reject(cancellation(signal))
        const id = ++lastId
        const { message, headers, isCancelledByClosing } = options.envelope(id, method, params, request, asker)
        const exchange: Exchange = {
          id,
          method,
          options: request,
          isCancelledByClosing,
          resolve,
          reject,
          onAbort: () => cancel(exchange, cancellation(signal)),
          timer: timeoutMs === undefined ? undefined : setTimeout(() => cancel(exchange, tooLate(request)), timeoutMs),
        }
        running.set(id, exchange)
        if (request.onAsk) askers++
        signal.addEventListener('abort', exchange.onAbort)
        transport.send(message, headers && { headers }).catch((error: unknown) => {
          if (!running.has(id)) return logUnsent(error)
          settle(exchange)
          reject(ended === undefined ? orUnanswered(error) : new Unanswered(fateOf(error) ?? 'ended', ended))
        })
      }),
    async notify(method, params, sendOptions) {
      try {
        await transport.send(notification(method, params), sendOptions)
      } catch (error) {
        throw orUnanswered(error)
      }
    },
    receive(message, during) {
      isHeard = true
      try {
        if (isRecord(message)) {
          removeOwnMeta(message)
          return route(message, during)
        }
        garbage('it is not an object')
      } catch (error) {
        // A bug in a listener must not stop the reader.
        log.error({ error }, 'a message of an upstream could not be passed on')
      }
      return false
    },
    garbage,
    lost({ id }, reason) {
      const exchange = running.get(Number(id))
      if (exchange) lose(exchange, reason)
    },
    end(fate, reason) {
      ended = reason
      clientRequests.endAll()
      // A failed send may be reported only in this turn. Wait one turn, because "not sent" is the better answer.
      setImmediate(() => {
        for (const exchange of running.values()) {
          settle(exchange)
          exchange.reject(new Unanswered(fate, reason))
        }
      })
    },
    wasHeard() {
      const was = isHeard
      isHeard = false
      return was
    },
    get isBusy() {
      return running.size > 0
    },
  }
}

function cancellation({ reason }: AbortSignal): RpcError {
  if (reason instanceof RpcError) return new RpcError(errorCode.cancelled, reason.message)
  return new RpcError(errorCode.cancelled, 'The call was cancelled.')
}

function tooLate({ timeoutMs }: PeerRequest): RpcError {
  return new RpcError(
    errorCode.unavailable,
    `There was no answer within ${timeoutMs} ms (call_ms of the connector); the call was cancelled.`,
  )
}

function errorOf(error: unknown): RpcError {
  const { code, message, data } = isRecord(error) ? error : {}
  return new RpcError(
    typeof code === 'number' ? code : errorCode.internal,
    typeof message === 'string' ? message : 'The upstream failed and did not say why.',
    { data },
  )
}
