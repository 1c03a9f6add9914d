/** 2026-07-28: each request stands alone, describes its client in `_meta`, and is cancelled by closing its answer. */
import { InFlightMap } from '../base/in-flight-map.ts'
import type { Log } from '../base/log.ts'
import { createSlowTimer } from '../base/slow-timer.ts'
import type {
  Client,
  ClientCapabilities,
  Implementation,
  InputRequired,
  Meta,
  RpcMessage,
  RpcRequest,
} from '../mcp/mcp.ts'
import {
  assertCapable,
  errorCode,
  isInputRequired,
  isLoggingLevel,
  isRecord,
  metaKey,
  metaOf,
  modernVersion,
  RpcError,
} from '../mcp/mcp.ts'
import { answer } from './answer.ts'
import { correlationOf, RequestCall } from './call.ts'
import { Cancellation } from './cancellation.ts'
import type { Face } from './face.ts'
import type { InFlight } from './in-flight.ts'
import type { Listeners } from './listen.ts'
import { findMethod, otherMethod } from './methods.ts'
import { checkParamHeaders, checkStandardHeaders } from './modern-headers.ts'
import type { Outlet, Reply } from './reply.ts'
import type { RequestState } from './request-state.ts'
import type { RequestContext } from './request-context.ts'
import { isHttp, toolsetsOf } from './request-context.ts'

export interface Modern {
  readonly running: number
  serve(request: RpcRequest, context: RequestContext, reply: Reply): Promise<void>
  /** Cancels the running requests of one token, or all. */
  abortAll(reason: RpcError, tokenId?: string): void
}

export interface ModernOptions {
  readonly listeners: Listeners
  readonly inFlight: InFlight
  readonly requestState: RequestState
  readonly log: Log
}

/** After this an answer becomes a stream. Its keep-alives show proxies that the call is still running. */
const slowMs = 5_000

/** How long a client may cache each result. Notices report changed lists, but not changed contents. */
const cacheTtlMs = new Map([
  ['server/discover', 60_000],
  ['tools/list', 10_000],
  ['prompts/list', 10_000],
  ['resources/list', 10_000],
  ['resources/templates/list', 10_000],
  ['resources/listTemplates', 10_000],
  ['resources/read', 0],
])

const mayAskBack = new Set(['tools/call', 'prompts/get', 'resources/read'])

export function createModern({ listeners, inFlight, requestState, log }: ModernOptions): Modern {
  const running = new InFlightMap<number, { readonly cancellation: Cancellation; readonly tokenId: string }>()
  let lastRun = 0
  const slowTimer = createSlowTimer(slowMs)

  return {
    get running() {
      return running.size
    },
    async serve(request, context, reply) {
      const client = readClient(request)
      if (isHttp(context)) checkStandardHeaders(request, context.header)
      const cancellation = new Cancellation()
      if (request.method === 'subscriptions/listen') return listen(request, client, context, reply, cancellation)

      const runId = ++lastRun
      running.set(runId, { cancellation, tokenId: context.caller.tokenId })
      let outlet: Outlet | undefined
      const upgrade = () => (outlet ??= reply.stream())
      const stopWaiting = reply.canStream ? slowTimer.watch(upgrade) : () => {}
      reply.onGone(() => cancellation.cancel())
      const emit = (message: RpcMessage) => {
        if (reply.canStream) upgrade().send(message)
      }
      const { id, method } = request
      const correlation = correlationOf(metaOf(request.params))
      const { response, status } = await answer({
        id,
        method,
        correlation,
        cancellation,
        enter: () => inFlight.enter(context.caller.tokenId),
        log,
        run: () => run(request, client, { context, cancellation, correlation, emit }).catch(withStatus),
      })
      stopWaiting()
      running.delete(runId)
      if (!outlet) return reply.json(response, { status })
      outlet.send(response)
      outlet.end()
    },
    abortAll(reason, tokenId) {
      for (const { cancellation, tokenId: owner } of running.values()) {
        if (tokenId === undefined || owner === tokenId) cancellation.cancel(reason)
      }
    },
  }

  function listen(
    request: RpcRequest,
    client: Client,
    context: RequestContext,
    reply: Reply,
    cancellation: Cancellation,
  ) {
    reply.onGone(() => cancellation.cancel())
    const { params = {} } = request
    const correlation = correlationOf(metaOf(params))
    const silent = { logLevel: undefined, emit: () => {} }
    const call = new RequestCall({ correlation, caller: context.caller, client, params, cancellation, ...silent })
    return listeners.serve(request, context, reply, call)
  }

  interface Run {
    readonly context: RequestContext
    readonly cancellation: Cancellation
    readonly correlation: string
    emit(message: RpcMessage): void
  }

  async function run(
    request: RpcRequest,
    client: Client,
    { context, cancellation, correlation, emit }: Run,
  ): Promise<object> {
    const { method: name, params = {} } = request
    const { face, caller } = context
    if (name === 'server/discover') return stamp(name, discover(face), face)
    const method = findMethod(name) ?? otherMethod(name)
    const logLevel = metaOf(params)[metaKey.logLevel]
    const bound = { tokenId: caller.tokenId, method: name, name: params['name'] ?? params['uri'] }
    const call = new RequestCall({
      correlation,
      caller,
      client,
      params,
      cancellation,
      emit,
      logLevel: isLoggingLevel(logLevel) ? logLevel : undefined,
      answers: isRecord(params['inputResponses']) ? params['inputResponses'] : {},
      state: await requestState.open(params['requestState'], bound),
    })
    if (isHttp(context) && name === 'tools/call' && typeof params['name'] === 'string') {
      const tool = face.findTool(params['name'])
      if (tool) checkParamHeaders(tool, params['arguments'], context.header)
    }
    const result = await method(params, { face, toolsets: toolsetsOf(context), call })
    if (!isInputRequired(result)) return stamp(name, result, face)
    if (!mayAskBack.has(name)) throw new Error(`${name} may not ask for input`)
    assertCapable(result, client)
    return stamp(name, await askBack(result, bound), face)
  }

  async function askBack({ inputRequests, state }: InputRequired, bound: object): Promise<object> {
    return {
      resultType: 'input_required',
      ...(inputRequests && { inputRequests }),
      ...(state !== undefined && { requestState: await requestState.seal(state, bound) }),
    }
  }
}

/** The codes that this revision maps to an HTTP status, whether the hub or an upstream sent them. */
const statusOf: Readonly<Record<number, number>> = {
  [errorCode.methodNotFound]: 404,
  [errorCode.headerMismatch]: 400,
  [errorCode.missingCapability]: 400,
  [errorCode.unsupportedVersion]: 400,
}

function withStatus(error: unknown): never {
  const status = error instanceof RpcError && error.status === undefined ? statusOf[error.code] : undefined
  if (!(error instanceof RpcError) || status === undefined) throw error
  throw new RpcError(error.code, error.message, { data: error.data, status })
}

function readClient({ params }: RpcRequest): Client {
  const meta = metaOf(params)
  const version = meta[metaKey.protocolVersion]
  if (version !== modernVersion) {
    throw new RpcError(errorCode.unsupportedVersion, `Unsupported protocol version: ${String(version).slice(0, 40)}`, {
      data: { supported: [modernVersion], requested: version },
      status: 400,
    })
  }
  const info = meta[metaKey.clientInfo] as Implementation | undefined
  return {
    era: 'modern',
    version: modernVersion,
    capabilities: meta[metaKey.clientCapabilities] as ClientCapabilities,
    ...(info && { info }),
  }
}

function discover(face: Face): object {
  const { instructions } = face
  return { supportedVersions: [modernVersion], capabilities: face.capabilities('modern'), instructions }
}

function stamp(method: string, result: object, face: Face): object {
  const ttlMs = cacheTtlMs.get(method)
  const meta = '_meta' in result ? (result._meta as Meta) : undefined
  return {
    resultType: 'complete',
    ...(ttlMs !== undefined && { ttlMs, cacheScope: 'private' }),
    ...result,
    _meta: { ...meta, [metaKey.serverInfo]: face.info },
  }
}
