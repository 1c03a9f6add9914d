/**
 * One legacy connection, from `initialize` to its end: its requests, the requests we send back, cancellation, log level
 * and subscriptions. It knows nothing of transports: a `RequestChannel` delivers the messages of one request.
 */
import { InFlightMap } from '../base/in-flight-map.ts'
import type { Log } from '../base/log.ts'
import type {
  Call,
  Client,
  InputRequest,
  LoggingLevel,
  Notices,
  Params,
  ProgressListener,
  RequestId,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResponse,
  Subscriber,
  Topic,
} from '../mcp/mcp.ts'
import {
  defaultLogLevel,
  errorCode,
  failure,
  isLoggingLevel,
  isWanted,
  listNames,
  metaOf,
  notification,
  RpcError,
  success,
} from '../mcp/mcp.ts'
import { answer } from './answer.ts'
import { correlationOf, RequestCall } from './call.ts'
import { Cancellation } from './cancellation.ts'
import type { Face } from './face.ts'
import type { InFlight } from './in-flight.ts'
import type { Round } from './input-rounds.ts'
import { runWithRequests } from './input-rounds.ts'
import type { Method, MethodContext } from './methods.ts'
import { findMethod, otherMethod, uriOf } from './methods.ts'
import type { Principal } from '../base/principal.ts'
import type { SubscriptionQuota } from './subscription-quota.ts'
import type { RequestContext } from './request-context.ts'
import { toolsetsOf } from './request-context.ts'

/** Delivers the messages that belong to one request. */
export interface RequestChannel {
  /** False when only the answer can be sent. */
  canStream(): boolean
  emit(message: RpcMessage): void
  finish(response: RpcResponse): void | Promise<void>
  /** Called when the client has left and will not resume. */
  onLeft(listener: () => void): void
  /** Called when the client leaves but may resume, and when it is back. The last listener counts. */
  onAway?(listener: (isAway: boolean) => void): void
  releaseStream(retryMs: number): void
  /** Stores the answer for a client that reconnects after a restart of the hub. */
  answerIfLost(response: RpcResponse | undefined): Promise<void>
}

export interface Connection {
  readonly id: string
  readonly tokenId: string
  readonly client: Client
  readonly isBusy: boolean
  /** The resources that its client subscribed to. Lists are not included. */
  readonly subscriptions: Iterable<Topic>
  request(message: RpcRequest, context: RequestContext, channel: RequestChannel): Promise<void>
  notify(message: RpcNotification, context: RequestContext): void
  /** Takes the client's answer to a request that the hub sent. */
  respond(message: RpcResponse): void
  /** Cancels every running request. */
  close(reason: RpcError): void
  /** Resolves when every running request has been answered. */
  settled(): Promise<void>
}

export interface ConnectionOptions {
  readonly id: string
  readonly caller: Principal
  readonly client: Client
  readonly face: Face
  readonly notices: Notices
  readonly quota: SubscriptionQuota
  readonly inFlight: InFlight
  readonly subscriber: Subscriber
  readonly log: Log
  readonly toolsets?: readonly string[]
  readonly logLevel?: LoggingLevel
  readonly subscriptions?: readonly string[]
  /** Stores a change, so that it survives a restart of the hub. */
  readonly keep?: {
    subscribe(uri: string): Promise<void>
    unsubscribe(uri: string): Promise<void>
    setLogLevel(level: LoggingLevel): Promise<void>
  }
}

interface PendingQuestion extends PromiseWithResolvers<object> {
  readonly onProgress: ProgressListener | undefined
}

/** How long a person or a model behind the client may take to answer. */
const askTimeoutMs = 600_000

export function createConnection(options: ConnectionOptions): Connection {
  const { id, caller, client, face, notices, quota, inFlight, keep } = options
  const { tokenId } = caller
  const log = options.log.child({ connection: id.slice(0, 8) })
  const running = new InFlightMap<RequestId, Cancellation>()
  const questions = new Map<RequestId, PendingQuestion>()
  const subscriptions = new Map(topicsOf(face, options.subscriptions ?? []))
  let logLevel: LoggingLevel = options.logLevel ?? defaultLogLevel
  let questionCount = 0
  let idle = Promise.withResolvers<void>()
  idle.resolve()

  const subscriber: Subscriber = {
    ...options.subscriber,
    send(message) {
      const isLine = message.method === 'notifications/message'
      if (!isLine || isWanted(message.params?.['level'], logLevel)) options.subscriber.send?.(message)
    },
  }
  if (options.logLevel) face.setLogLevel(id, options.logLevel)

  const listTopics = listNames.map((list): Topic => ({ kind: 'list', list }))
  for (const topic of [...subscriptions.values(), ...listTopics]) notices.subscribe(topic, subscriber)
  quota.takeUnchecked(caller, subscriptions.size)

  async function setLogLevel({ level }: Params): Promise<object> {
    if (!isLoggingLevel(level)) throw new RpcError(errorCode.invalidParams, 'params.level is not a log level of MCP.')
    logLevel = level
    face.setLogLevel(id, level)
    await keep?.setLogLevel(level)
    return {}
  }

  async function subscribe(params: Params, { call }: MethodContext): Promise<object> {
    const uri = uriOf(params)
    quota.take(caller, 1)
    let isAdded = false
    try {
      const topic = await face.watch(uri, call, { mayAsk: true })
      if (!subscriptions.has(uri)) {
        notices.subscribe(topic, subscriber)
        if (call.signal.aborted) {
          notices.unsubscribe(topic, subscriber)
          throw new RpcError(errorCode.cancelled, 'The request was cancelled.')
        }
        subscriptions.set(uri, topic)
        isAdded = true
      }
    } finally {
      if (!isAdded) quota.release(caller, 1)
    }
    await keep?.subscribe(uri)
    return {}
  }

  async function unsubscribe(params: Params): Promise<object> {
    const uri = uriOf(params)
    const topic = subscriptions.get(uri)
    if (topic) {
      subscriptions.delete(uri)
      quota.release(caller, 1)
      notices.unsubscribe(topic, subscriber)
    }
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
      throw new RpcError(
        errorCode.invalidRequest,
        'This call must ask its client something. Accept text/event-stream as well.',
      )
    }
    if (signal.aborted) throw new RpcError(errorCode.cancelled, 'The call was cancelled.')
    const questionId = `hub-${++questionCount}`
    const waiting = Promise.withResolvers<object>()
    const giveUp = (reason: string) => {
      channel.emit(notification('notifications/cancelled', { requestId: questionId, reason }))
      waiting.reject(new RpcError(errorCode.internal, `The client did not answer ${method}: ${reason}.`))
    }
    const timer = setTimeout(() => giveUp('the time limit was reached'), askTimeoutMs)
    const onAbort = () => giveUp('the call was cancelled')
    signal.addEventListener('abort', onAbort, { once: true })
    questions.set(questionId, { ...waiting, onProgress })
    const sentParams = onProgress
      ? { ...params, _meta: { ...metaOf(params), progressToken: questionId } }
      : (params ?? {})
    channel.emit({ jsonrpc: '2.0', id: questionId, method, params: sentParams })
    return waiting.promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      questions.delete(questionId)
    })
  }

  /** The hub uses the id of its request as the progress token. */
  function noteProgress({ progressToken, ...step }: Params): void {
    questions.get(progressToken as RequestId)?.onProgress?.(step)
  }

  return {
    id,
    tokenId,
    client,
    get subscriptions() {
      return subscriptions.values()
    },
    get isBusy() {
      return running.size > 0
    },
    async request(message, context, channel) {
      const { id: requestId, method: name, params = {} } = message
      if (running.has(requestId)) {
        await channel.finish(
          failure(requestId, { code: errorCode.invalidRequest, message: 'A request with this id is still running.' }),
        )
        return
      }
      const cancellation = new Cancellation()
      if (running.size === 0) idle = Promise.withResolvers()
      running.set(requestId, cancellation)
      channel.onLeft(() => cancellation.cancel())
      const correlation = correlationOf(metaOf(params))
      const common = { correlation, caller: context.caller, client, params, cancellation, logLevel }
      const askNow: Call['ask'] = (request, signal, onProgress) =>
        ask(request, channel, AbortSignal.any([cancellation.signal, signal]), onProgress)
      const run = (round: Round) => {
        const method = ownMethods.get(name) ?? findMethod(name) ?? otherMethod(name)
        const { emit, releaseStream, onAway } = channel
        const answerIfLost: Call['answerIfLost'] = (result) =>
          channel.answerIfLost(result && success(requestId, result))
        const call = new RequestCall({ ...common, ...round, emit, releaseStream, answerIfLost, onAway, ask: askNow })
        return method(params, { face, toolsets: toolsetsOf(context, options.toolsets), call })
      }
      const { response } = await answer({
        id: requestId,
        method: name,
        correlation,
        cancellation,
        enter: () => inFlight.enter(context.caller.tokenId),
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
        const common = { correlation: correlationOf(metaOf(params)), caller, client, params, logLevel }
        const cancellation = new Cancellation()
        face.notify(method, params, new RequestCall({ ...common, cancellation, emit() {} }))
      }
    },
    respond(message) {
      const waiting = message.id === null ? undefined : questions.get(message.id)
      if ('result' in message) waiting?.resolve(message.result)
      else waiting?.reject(new RpcError(message.error.code, message.error.message, { data: message.error.data }))
    },
    settled: () => idle.promise,
    close(reason) {
      for (const cancellation of running.values()) cancellation.cancel(reason)
      for (const topic of [...subscriptions.values(), ...listTopics]) notices.unsubscribe(topic, subscriber)
      quota.release(caller, subscriptions.size)
      subscriptions.clear()
      face.setLogLevel(id, undefined)
    },
  }
}

/** Notifications that providers may handle. A request without an id is not a notification. */
function isForOthers(method: string): boolean {
  return method.startsWith('notifications/') && method !== 'notifications/initialized'
}

/** The topics of stored subscriptions. Some may no longer belong to this face, and are left out. */
function topicsOf(face: Face, uris: readonly string[]): readonly (readonly [string, Topic])[] {
  return uris.flatMap((uri) => {
    const topic = face.topicOf(uri)
    return topic ? [[uri, topic] as const] : []
  })
}
