/**
 * One legacy connection, from `initialize` to its end: its requests, the requests we send back, cancellation, log level
 * and subscriptions. It knows no transport: a `RequestChannel` says where the messages of one request go.
 */
import type { Log } from '../base/log.ts'
import { answer } from './answer.ts'
import { correlationOf, isLoggingLevel, isWanted, RequestCall, unaskedLogLevel } from './call.ts'
import { Cancellation } from './cancellation.ts'
import type { Face } from './face.ts'
import type { Round } from './input-rounds.ts'
import { runWithRequests } from './input-rounds.ts'
import type { Method, MethodContext } from './methods.ts'
import { findMethod, otherMethod, uriOf } from './methods.ts'
import type { Notices, Subscriber, Topic } from './notices.ts'
import { listNames, listTopic } from './notices.ts'
import type { Call, Client, InputRequest, ProgressListener } from './provider.ts'
import type { LoggingLevel } from './sdk.ts'
import type { Visit } from './visit.ts'
import { toolsetsOf } from './visit.ts'
import type { Params, RequestId, RpcMessage, RpcNotification, RpcRequest, RpcResponse } from './wire.ts'
import { errorCode, failure, metaOf, notification, RpcError } from './wire.ts'

/** Where the messages that belong to one request go. */
export interface RequestChannel {
  /** False when only the answer can be sent. */
  canStream(): boolean
  emit(message: RpcMessage): void
  finish(response: RpcResponse): void | Promise<void>
  /** The caller has left for good. */
  onLeft(listener: () => void): void
  releaseStream(retryMs: number): void
}

export interface Connection {
  readonly id: string
  readonly tokenId: string
  readonly client: Client
  readonly isBusy: boolean
  /** What its client wants to hear of, lists aside. */
  readonly subscriptions: ReadonlySet<Topic>
  request(message: RpcRequest, visit: Visit, channel: RequestChannel): Promise<void>
  notify(message: RpcNotification, visit: Visit): void
  /** An answer to a request of ours. */
  respond(message: RpcResponse): void
  /** Ends everything that runs on it. */
  close(reason: RpcError): void
  /** Everything that ran has been answered. */
  settled(): Promise<void>
}

export interface ConnectionOptions {
  readonly id: string
  readonly tokenId: string
  readonly client: Client
  readonly face: Face
  readonly notices: Notices
  readonly subscriber: Subscriber
  readonly log: Log
  readonly toolsets?: readonly string[]
  readonly logLevel?: LoggingLevel
  readonly subscriptions?: readonly Topic[]
  /** Makes a change outlive the hub. */
  readonly keep?: {
    subscribe(uri: string): Promise<void>
    unsubscribe(uri: string): Promise<void>
    setLogLevel(level: LoggingLevel): Promise<void>
  }
}

interface Asked extends PromiseWithResolvers<object> {
  readonly onProgress: ProgressListener | undefined
}

/** How long a person or a model behind the client may take to answer. */
const askTimeoutMs = 600_000
/** A client that subscribes without end must not fill the hub. */
const maxSubscriptions = 10_000

export function createConnection(options: ConnectionOptions): Connection {
  const { id, tokenId, client, face, notices, keep } = options
  const log = options.log.child({ connection: id.slice(0, 8) })
  const running = new Map<RequestId, Cancellation>()
  const asked = new Map<RequestId, Asked>()
  const subscriptions = new Set<Topic>(options.subscriptions)
  let logLevel: LoggingLevel = options.logLevel ?? unaskedLogLevel
  let askCount = 0
  let idle = Promise.withResolvers<void>()
  idle.resolve()

  const subscriber: Subscriber = {
    ...options.subscriber,
    tell(message) {
      const isLine = message.method === 'notifications/message'
      if (!isLine || isWanted(message.params?.['level'], logLevel)) options.subscriber.tell?.(message)
    },
  }
  if (options.logLevel) face.setLogLevel(id, options.logLevel)

  const listTopics = listNames.map((list) => listTopic(list, face.id))
  for (const topic of [...subscriptions, ...listTopics]) notices.subscribe(topic, subscriber)

  async function setLogLevel({ level }: Params): Promise<object> {
    if (!isLoggingLevel(level)) throw new RpcError(errorCode.invalidParams, 'params.level is not a log level of MCP.')
    logLevel = level
    face.setLogLevel(id, level)
    await keep?.setLogLevel(level)
    return {}
  }

  async function subscribe(params: Params, { call }: MethodContext): Promise<object> {
    const uri = uriOf(params)
    if (subscriptions.size >= maxSubscriptions) {
      throw new RpcError(errorCode.busy, `At most ${maxSubscriptions} subscriptions per connection; unsubscribe first.`)
    }
    await face.watch(uri, call, { mayAsk: true })
    notices.subscribe(uri, subscriber)
    if (call.signal.aborted && !subscriptions.has(uri)) {
      notices.unsubscribe(uri, subscriber)
      throw new RpcError(errorCode.cancelled, 'The request was cancelled.')
    }
    subscriptions.add(uri)
    await keep?.subscribe(uri)
    return {}
  }

  async function unsubscribe(params: Params): Promise<object> {
    const uri = uriOf(params)
    subscriptions.delete(uri)
    notices.unsubscribe(uri, subscriber)
    await keep?.unsubscribe(uri)
    return {}
  }

  const ownMethods = new Map<string, Method>([
    ['ping', () => ({})],
    ['logging/setLevel', setLogLevel],
    ['resources/subscribe', subscribe],
    ['resources/unsubscribe', unsubscribe],
  ])

  async function ask(
    { method, params }: InputRequest,
    channel: RequestChannel,
    signal: AbortSignal,
    onProgress?: ProgressListener,
  ): Promise<object> {
    if (!channel.canStream()) {
      throw new RpcError(errorCode.invalidRequest, 'This call must ask its client: accept text/event-stream as well.')
    }
    if (signal.aborted) throw new RpcError(errorCode.cancelled, 'The call was cancelled.')
    const askId = `hub-${++askCount}`
    const waiting = Promise.withResolvers<object>()
    const giveUp = (reason: string) => {
      channel.emit(notification('notifications/cancelled', { requestId: askId, reason }))
      waiting.reject(new RpcError(errorCode.internal, `The client did not answer ${method}: ${reason}.`))
    }
    const timer = setTimeout(() => giveUp('time limit'), askTimeoutMs)
    const onAbort = () => giveUp('nobody waits for the answer any more')
    signal.addEventListener('abort', onAbort, { once: true })
    asked.set(askId, { ...waiting, onProgress })
    const asking = onProgress ? { ...params, _meta: { ...metaOf(params), progressToken: askId } } : (params ?? {})
    channel.emit({ jsonrpc: '2.0', id: askId, method, params: asking })
    return waiting.promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      asked.delete(askId)
    })
  }

  /** The tokens we give are the ids of what we ask. */
  function noteProgress({ progressToken, ...step }: Params): void {
    asked.get(progressToken as RequestId)?.onProgress?.(step)
  }

  return {
    id,
    tokenId,
    client,
    subscriptions,
    get isBusy() {
      return running.size > 0
    },
    async request(message, visit, channel) {
      const { id: requestId, method: name, params = {} } = message
      if (running.has(requestId)) {
        await channel.finish(
          failure(requestId, { code: errorCode.invalidRequest, message: 'A request with this id still runs.' }),
        )
        return
      }
      const cancellation = new Cancellation()
      if (running.size === 0) idle = Promise.withResolvers()
      running.set(requestId, cancellation)
      channel.onLeft(() => cancellation.cancel())
      const correlation = correlationOf(metaOf(params))
      const context = { correlation, caller: visit.caller, client, params, cancellation, logLevel }
      const askNow: Call['ask'] = (request, signal, onProgress) =>
        ask(request, channel, AbortSignal.any([cancellation.signal, signal]), onProgress)
      const run = (round: Round) => {
        const method = ownMethods.get(name) ?? findMethod(name) ?? otherMethod(name)
        const { emit, releaseStream } = channel
        const call = new RequestCall({ ...context, ...round, emit, releaseStream, ask: askNow })
        return method(params, { face, toolsets: toolsetsOf(visit, options.toolsets), call })
      }
      const { response } = await answer({
        id: requestId,
        method: name,
        correlation,
        cancellation,
        log,
        run: () =>
          runWithRequests(
            client,
            run,
            (request) => ask(request, channel, cancellation.signal),
            () => cancellation.signal,
          ),
      })
      await channel.finish(response)
      running.delete(requestId)
      if (running.size === 0) idle.resolve()
    },
    notify({ method, params = {} }, { caller }) {
      if (method === 'notifications/cancelled') running.get(params['requestId'] as RequestId)?.cancel()
      else if (method === 'notifications/progress') noteProgress(params)
      else if (isForOthers(method)) {
        const context = { correlation: correlationOf(metaOf(params)), caller, client, params, logLevel }
        const cancellation = new Cancellation()
        face.notify(method, params, new RequestCall({ ...context, cancellation, emit() {} }))
      }
    },
    respond(message) {
      const waiting = message.id === null ? undefined : asked.get(message.id)
      if ('result' in message) waiting?.resolve(message.result)
      else waiting?.reject(new RpcError(message.error.code, message.error.message, { data: message.error.data }))
    },
    settled: () => idle.promise,
    close(reason) {
      for (const cancellation of running.values()) cancellation.cancel(reason)
      for (const topic of [...subscriptions, ...listTopics]) notices.unsubscribe(topic, subscriber)
      face.setLogLevel(id, undefined)
    },
  }
}

/** What does not concern this connection alone. A request that merely has no id is no notification. */
function isForOthers(method: string): boolean {
  return method.startsWith('notifications/') && method !== 'notifications/initialized'
}
