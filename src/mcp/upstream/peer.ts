/**
 * The messages of one connection: which answer belongs to which request, which notice to whom. It has its own ids and
 * looks at nothing that it does not need for that; everything is passed on as it came, and in the order it came.
 */
import { dropOldest } from '../../base/drop-oldest.ts'
import { plainNumber } from '../../base/exact-numbers.ts'
import type { Log } from '../../base/log.ts'
import type { Params, RpcRequest } from '../wire.ts'
import { errorCode, isRecord, metaKey, metaOf, notification, RpcError } from '../wire.ts'
import { createAsks } from './asks.ts'
import { idOf, isForEverybody, withoutSubscription } from './peer-message.ts'
import type { Judge } from './strict.ts'
import type { SendOptions, UpstreamTransport } from './transport.ts'
import type { Fate } from './unanswered.ts'
import { fateOf, orUnanswered, Unanswered } from './unanswered.ts'
import type { UpstreamListener, UpstreamRequest } from './upstream.ts'

export interface Peer {
  /** Ids are ours; so are progress tokens, which are the same numbers. */
  takeId(): number
  request(message: OurRequest, options: PeerRequest): Promise<object>
  notify(method: string, params: Params | undefined, options?: SendOptions): Promise<void>
  receive(message: unknown, during?: RpcRequest): void
  garbage(reason: string): void
  lost(request: RpcRequest, reason: string): void
  /** Rejects whatever still waits, and all that comes later. */
  end(fate: Fate, reason: string): void
  /** Something came since this was last asked. */
  wasHeard(): boolean
  readonly isBusy: boolean
}

export interface OurRequest extends RpcRequest {
  readonly id: number
}

export interface PeerRequest extends Pick<UpstreamRequest, 'signal' | 'onProgress' | 'onNotification' | 'onAsk'> {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs?: number | undefined
  /** To let go of the answer is to cancel it; nothing need be said. */
  readonly isCancelledByClosing?: boolean
  /** Every notice of a request that was made to hear notices, and of nothing else. */
  readonly onNotice?: (method: string, params: Params | undefined) => void
}

export interface PeerOptions {
  readonly transport: UpstreamTransport
  readonly listener: Pick<UpstreamListener, 'notification' | 'ask'>
  readonly log: Log
  /** In strict mode. */
  readonly judge: Judge | undefined
  readonly onDropped: () => void
}

interface Exchange {
  readonly id: number
  readonly method: string
  readonly options: PeerRequest
  readonly resolve: (result: object) => void
  readonly reject: (reason: unknown) => void
  readonly onAbort: () => void
  timer: NodeJS.Timeout | undefined
}

/** Of requests that nobody waits for any more, this many may still be answered without being taken for a fault. */
const maxCancelled = 1_000

export function createPeer(options: PeerOptions): Peer {
  const { transport, listener, log, judge } = options
  const running = new Map<number, Exchange>()
  const cancelled = new Set<number>()
  const asks = createAsks({ send: (message) => transport.send(message), log })
  let lastId = 0
  let isHeard = false
  let ended: string | undefined

  function settle(exchange: Exchange): void {
    running.delete(exchange.id)
    clearTimeout(exchange.timer)
    exchange.options.signal.removeEventListener('abort', exchange.onAbort)
    asks.endOf(exchange.id)
  }

  function cancel(exchange: Exchange, error: RpcError): void {
    settle(exchange)
    cancelled.add(exchange.id)
    dropOldest(cancelled, maxCancelled)
    exchange.reject(error)
    if (!exchange.options.isCancelledByClosing) {
      const params = { requestId: exchange.id, reason: error.message }
      transport.send(notification('notifications/cancelled', params)).catch(noteUnsent)
    }
    transport.abandon(exchange.id)
  }

  const noteUnsent = (error: unknown) => log.debug({ error }, 'a message to an upstream was not sent')

  function answer(message: Readonly<Record<string, unknown>>, during: RpcRequest | undefined): void {
    const exchange = running.get(idOf(message, { during, running, isStrict: judge !== undefined }))
    if (!exchange) return dropAnswer(message['id'])
    settle(exchange)
    const breach = judge?.envelope(message)
    if (breach !== undefined) return exchange.reject(breach)
    const { error, result } = message
    if (error !== undefined) return exchange.reject(errorOf(error))
    try {
      exchange.resolve(judge ? judge.result(exchange.method, result) : (result as object))
    } catch (fault) {
      exchange.reject(fault)
    }
  }

  function dropAnswer(id: unknown): void {
    options.onDropped()
    log.debug({ id }, 'an answer that nobody waits for was dropped')
    // It may have crossed our cancellation on the way.
    if (typeof id === 'number' && cancelled.delete(id)) return
    const isSecond = Number.isInteger(id) && Number(id) > 0 && Number(id) <= lastId
    judge?.tell(isSecond ? 'It answered one request twice.' : 'It answered with an id that no request of ours has.')
  }

  function notice(method: string, params: Params | undefined, during: RpcRequest | undefined): void {
    if (method === 'notifications/progress') return progress(params)
    if (method === 'notifications/cancelled') return withdraw(params?.['requestId'])
    const subscription = metaOf(params)[metaKey.subscriptionId]
    const source = running.get(subscription === undefined ? Number(during?.id) : Number(subscription))?.options
    if (source?.onNotice) return source.onNotice(method, withoutSubscription(params))
    if (isForEverybody(method)) return listener.notification(method, withoutSubscription(params))
    // Of a stream that we have closed.
    if (subscription !== undefined) return
    if (source?.onNotification) return source.onNotification(method, params)
    const only = method === 'notifications/message' ? onlyListener() : undefined
    if (only) only(method, params)
    else listener.notification(method, params)
  }

  function route(message: Readonly<Record<string, unknown>>, during: RpcRequest | undefined): void {
    const { method, params } = message
    if (typeof method !== 'string') return answer(message, during)
    if (judge?.envelope(message)) return
    if ('id' in message) ask(message as unknown as RpcRequest, during)
    else notice(method, params as Params | undefined, during)
  }

  function garbage(reason: string): void {
    isHeard = true
    log.debug({ reason }, 'an upstream sent something that is no message')
    judge?.tell('It sent something that is no message of JSON-RPC.')
  }

  /** A question of its own, or a stream of notices that it will not go on with. */
  function withdraw(id: unknown): void {
    if (asks.cancel(id)) return
    const exchange = running.get(Number(id))
    if (exchange?.options.onNotice) lose(exchange, 'It ended the subscription.')
  }

  function lose(exchange: Exchange, reason: string): void {
    settle(exchange)
    exchange.reject(new Unanswered('lost', reason))
  }

  function progress(params: Params | undefined): void {
    const { progressToken, ...rest } = params ?? {}
    const step = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plainNumber(value)]))
    running.get(Number(progressToken))?.options.onProgress?.(step)
  }

  /** Log lines of stdio name no request; where only one runs, they are its own. */
  function onlyListener(): UpstreamRequest['onNotification'] {
    const listening = [...running.values()].filter(({ options }) => options.onNotification)
    return listening.length === 1 ? listening[0]?.options.onNotification : undefined
  }

  function ask(message: RpcRequest, during: RpcRequest | undefined): void {
    const owner = during && running.get(Number(during.id))
    // stdio does not say; what was called last is the likeliest to ask.
    const likeliest = during ? owner : [...running.values()].findLast(({ options }) => options.onAsk)
    asks.run(message, likeliest?.options.onAsk ?? listener.ask, owner?.id)
  }

  return {
    takeId: () => ++lastId,
    request: (message, request) =>
      new Promise((resolve, reject) => {
        const { signal, timeoutMs, headers } = request
        if (ended !== undefined) return reject(new Unanswered('unsent', ended))
        if (signal.aborted) return reject(cancellation(signal))
        const exchange: Exchange = {
          id: message.id,
          method: message.method,
          options: request,
          resolve,
          reject,
          onAbort: () => cancel(exchange, cancellation(signal)),
          timer: timeoutMs === undefined ? undefined : setTimeout(() => cancel(exchange, tooLate(request)), timeoutMs),
        }
        running.set(message.id, exchange)
        signal.addEventListener('abort', exchange.onAbort)
        transport.send(message, headers && { headers }).catch((error: unknown) => {
          if (!running.has(message.id)) return noteUnsent(error)
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
        if (isRecord(message)) route(message, during)
        else garbage('it is no object')
      } catch (error) {
        // A bug of whoever listens must not end the reading.
        log.error({ error }, 'a message of an upstream could not be passed on')
      }
    },
    garbage,
    lost({ id }, reason) {
      const exchange = running.get(Number(id))
      if (exchange) lose(exchange, reason)
    },
    end(fate, reason) {
      ended = reason
      asks.endAll()
      // A message that could not be sent may be reported only now: that it was not sent is worth a turn of the loop.
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
