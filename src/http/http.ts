/**
 * The hub's one HTTP server. Every request passes the same way:
 *
 *   Host and Origin → health and page → hub ready? → token → route
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Principal } from '../base/principal.ts'
import type { Endpoint, Face } from '../mcp/mcp.ts'
import { errorCode, failureOf, RpcError } from '../mcp/mcp.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import type { Gate } from './gate.ts'
import type { FinishLogin } from './login-callback.ts'
import { answerLoginCallback } from './login-callback.ts'
import { createMcpRoute } from './mcp-route.ts'
import type { McpRoute } from './mcp-route.ts'
import type { OriginRules } from './origin.ts'
import { isHostAllowed, isOriginAllowed } from './origin.ts'
import type { Page } from './page.ts'
import { sendJson, sendText, writeJsonHead } from './send.ts'
import { createSseStreams } from './sse.ts'

// An import would read every export of it, and with the WebSocket load all of fetch: 10 MB that the hub has no use for.
const { createServer } = process.getBuiltinModule('node:http')

export { createGate } from './gate.ts'
export type { Gate } from './gate.ts'
export { createPage } from './page.ts'

export const loginCallbackPath = '/oauth/callback'

export interface HttpServer {
  /** Listens at once and answers 503 until `open`. */
  listen(host: string, port: number): Promise<number>
  open(parts: OpenParts): void
  /** No new calls; what runs gets `graceMs`, streams are told. A second call waits for the first. */
  stop(graceMs: number): Promise<void>
}

/** What exists only once the hub is ready. */
export interface OpenParts {
  readonly endpoint: Endpoint
  readonly gate: Gate
  readonly faceOf: (caller: Principal) => Face
  readonly finishLogin?: FinishLogin
}

export interface HttpOptions {
  readonly rules: OriginRules
  readonly maxBodyBytes: number
  readonly metrics: Metrics
  readonly page: Page
  readonly log: Log
}

type State = { readonly is: 'starting' } | ({ readonly is: 'ready' | 'stopping'; readonly mcp: McpRoute } & OpenParts)

export function createHttp({ rules, maxBodyBytes, metrics, page, log }: HttpOptions): HttpServer {
  const streams = createSseStreams()
  const requests = metrics.counter('signalbox_http_requests_total', 'HTTP requests by route and status.', [
    'route',
    'status',
  ])
  metrics.gauge('signalbox_streams', 'Open event streams.', () => streams.size)
  let state: State = { is: 'starting' }
  let stopping: Promise<void> | undefined

  const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 70_000 })
  // Silence in both directions: keep-alives end it for every stream in use.
  server.timeout = 120_000
  server.on('request', (request, response) => {
    response.once('finish', () => requests.add(routeName(request), String(response.statusCode)))
    handle(request, response).catch((error: unknown) => refuse(request, response, error))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = clientErrors.get(error.code ?? '') ?? '400 Bad Request'
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, origin } = request.headers
    if (!isHostAllowed(host, rules)) throw foreign(`Host "${host?.slice(0, 100)}"`, 'allowed_hosts')
    if (!isOriginAllowed(origin, rules)) throw foreign(`Origin "${origin?.slice(0, 100)}"`, 'allowed_origins')
    if (origin !== undefined) allowOrigin(response, origin)
    if (request.method === 'OPTIONS') return answerPreflight(response)

    const [path, query] = splitUrl(request.url ?? '/')
    switch (path) {
      case '/healthz':
        return sendJson(response, 200, { ok: true })
      case '/readyz':
        return sendJson(response, state.is === 'ready' ? 200 : 503, { ready: state.is === 'ready', hub: state.is })
      case '/metrics':
        return sendText(response, 200, 'text/plain; version=0.0.4', metrics.text())
      case loginCallbackPath:
        if (state.is === 'ready' && state.finishLogin) return answerLoginCallback(query, state.finishLogin, response)
        throw new HubError('unavailable', `The hub is ${state.is}. Load this page again in a second.`)
      case '/mcp':
      case '/mcp/':
      case '/sse':
      case '/messages':
        return serveMcp(path, query, request, response)
      default:
        if (!page.serve(path, request, response))
          sendJson(response, 404, { error: 'Nothing here. The MCP endpoint is /mcp.' })
    }
  }

  async function serveMcp(path: string, query: string, request: IncomingMessage, response: ServerResponse) {
    if (state.is !== 'ready') {
      response.setHeader('Retry-After', '1')
      throw new HubError('unavailable', `The hub is ${state.is}. Try again in a second.`)
    }
    const { gate, mcp } = state
    const caller = await admit(gate, request, response)
    if (path === '/sse') return mcp.openSse(request, response, caller, query)
    if (path === '/messages') return mcp.postToSse(request, response, caller, query)
    return mcp.mcp(request, response, caller, query)
  }

  async function stop(graceMs: number): Promise<void> {
    const { endpoint } = state.is === 'starting' ? {} : state
    if (state.is === 'ready') state = { ...state, is: 'stopping' }
    const deadline = Date.now() + graceMs
    while (endpoint?.isBusy && Date.now() < deadline) await sleep(20)
    await endpoint?.stop()
    streams.close()
    // Not before: whoever comes while we wait is told to come again.
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    const impatient = setTimeout(() => server.closeAllConnections(), 1_000)
    await closed
    clearTimeout(impatient)
  }

  /** Errors of a request that no more specific place has answered. */
  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const answer = failureOf(null, error, (bug) =>
      log.error({ error: bug, url: splitUrl(request.url ?? '/')[0] }, 'a request failed'),
    )
    if (response.headersSent) return void response.destroy()
    if (answer.status === 401) response.setHeader('WWW-Authenticate', 'Bearer realm="signalbox", error="invalid_token"')
    if (request.complete) return sendJson(response, answer.status, answer.response)
    // What is left of the body is read and thrown away: a client that still sends when we hang up never sees the answer.
    request.resume().once('close', () => response.end())
    response.write(writeJsonHead(response, answer.status, answer.response))
  }

  return {
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, resolve)
      })
      return (server.address() as AddressInfo).port
    },
    open(parts) {
      state = { is: 'ready', ...parts, mcp: createMcpRoute({ ...parts, streams, maxBodyBytes }) }
    },
    stop: (graceMs) => (stopping ??= stop(graceMs)),
  }
}

async function admit(gate: Gate, request: IncomingMessage, response: ServerResponse): Promise<Principal> {
  const admission = await gate.admit(request.headers.authorization, request.socket.remoteAddress ?? '')
  switch (admission.is) {
    case 'admitted':
      return admission.caller
    case 'unknown':
      throw new HubError('unauthorized', `${admission.why} "signalbox token issue" makes one.`)
    case 'session-gone':
      throw new RpcError(errorCode.unavailable, 'The session of this token is gone.', { status: 404 })
    case 'too-many-failures':
      response.setHeader('Retry-After', String(admission.retryAfterSeconds))
      throw new HubError('busy', 'Too many wrong tokens from this address. Wait a minute.')
  }
}

const clientErrors = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
])

function foreign(what: string, setting: string): HubError {
  return new HubError('forbidden', `${what} is not allowed here. Behind a proxy, add it to the setting ${setting}.`)
}

function splitUrl(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?')
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

const knownRoutes = new Set(['/', loginCallbackPath, '/mcp', '/sse', '/messages', '/healthz', '/readyz', '/metrics'])

function routeName(request: IncomingMessage): string {
  const [path] = splitUrl(request.url ?? '/')
  return knownRoutes.has(path) ? path : path === '/mcp/' ? '/mcp' : 'other'
}
