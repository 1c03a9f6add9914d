/**
 * An HTTP server of the hub, with one endpoint behind it. Every request passes the same way:
 *
 *   Host and Origin → route → hub ready? → token → method
 *
 * The second half is for the routes of MCP only. A second server has an endpoint and faces of its own.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { rmSync } from 'node:fs'
import { createServer as createNetServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { listenPrivately, makePrivateDirectory } from '../base/private-socket.ts'
import type { Principal } from '../base/principal.ts'
import { systemReason } from '../base/system-reason.ts'
import type { Endpoint, Face } from '../endpoint/endpoint.ts'
import { errorCode, failureOf, RpcError } from '../mcp/mcp.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import type { Authenticator } from './authenticator.ts'
import { limitIdleSockets } from './idle-sockets.ts'
import type { FinishLogin } from './login-callback.ts'
import { answerLoginCallback } from './login-callback.ts'
import type { ExchangeCode } from './login-route.ts'
import { createLoginRoute } from './login-route.ts'
import type { OnHook } from './hook-route.ts'
import { answerHook, hooksPrefix } from './hook-route.ts'
import { createMcpRoute } from './mcp-route.ts'
import type { McpExchange, McpRoute } from './mcp-route.ts'
import type { Certificate } from './certificate.ts'
import type { OriginRules } from './origin.ts'
import { isHostAllowed, isOriginAllowed } from './origin.ts'
import type { Page } from './page.ts'
import { sendJson, sendText, writeJsonHead } from './send.ts'
import { createSseStreams } from './sse.ts'
import { secureTlsPort } from './tls-port.ts'
import { limitUnauthenticatedSockets } from './unauthenticated-sockets.ts'

export { createAuthenticator } from './authenticator.ts'
export type { Authenticator } from './authenticator.ts'
export { openCertificate } from './certificate.ts'
export { listenIfFree } from './optional-port.ts'
export { createPage } from './page.ts'
export { createPageAddresses } from './page-addresses.ts'

export const loginCallbackPath = '/oauth/callback'
const loginPath = '/login'

export interface HttpServer {
  /** Listens at once and answers 503 until `open`. */
  listen(host: string, port: number): Promise<number>
  /** The same on a unix socket that only the hub's own user can open. */
  listenAt(path: string): Promise<void>
  open(parts: OpenParts): void
  /** Reads the files of the certificate again, if there is one. */
  refreshCertificate(): Promise<void>
  /** Takes no new calls, gives running ones `graceMs`, and ends streams. A second call waits for the first. */
  stop(graceMs: number): Promise<void>
}

/** The parts that exist only once the hub is ready. */
export interface OpenParts {
  readonly endpoint: Endpoint
  readonly authenticator: Authenticator
  readonly faceOf: (caller: Principal) => Face
  readonly finishLogin?: FinishLogin
  readonly exchangeCode?: ExchangeCode
  readonly onHook?: OnHook
}

export interface HttpOptions {
  readonly rules: OriginRules
  readonly maxBodyBytes: number
  readonly maxIdlePerToken: number
  /** The settings that its errors name. By default those of the hub itself. */
  readonly settingNames?: SettingNames
  /** Answers MCP at `/` too. Then it has no page. */
  readonly servesMcpAtRoot?: boolean
  /** With it, the port speaks TLS. The unix socket does not need it. */
  readonly certificate?: Certificate | undefined
  readonly metrics: Metrics
  /** Answers the paths that no route has. */
  readonly page?: Page
  readonly log: Log
}

interface SettingNames {
  readonly port: string
  readonly maxBodyBytes: string
}

const hubSettings: SettingNames = { port: 'SIGNALBOX_PORT', maxBodyBytes: 'max_body_bytes' }

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: string
}

/** `open` answers every method without a token. Of `mcp`, a method that is not in its table is answered with 405. */
type Route =
  | { readonly is: 'open'; answer(exchange: Exchange): void | Promise<void> }
  | { readonly is: 'mcp'; readonly methods: McpMethods }

type McpMethods = Readonly<Record<string, (mcp: McpRoute, exchange: McpExchange) => void | Promise<void>>>

const streamable: Route = {
  is: 'mcp',
  methods: {
    GET: (mcp, exchange) => mcp.listen(exchange),
    POST: (mcp, exchange) => mcp.post(exchange),
    DELETE: (mcp, exchange) => mcp.delete(exchange),
  },
}

const mcpRoutes: readonly (readonly [path: string, Route])[] = [
  ['/mcp', streamable],
  ['/mcp/', streamable],
  ['/sse', { is: 'mcp', methods: { GET: (mcp, exchange) => mcp.openSse(exchange) } }],
  ['/messages', { is: 'mcp', methods: { POST: (mcp, exchange) => mcp.postToSse(exchange) } }],
]

type State = { readonly is: 'starting' } | ({ readonly is: 'ready' | 'stopping'; readonly mcp: McpRoute } & OpenParts)

export function createHttp(options: HttpOptions): HttpServer {
  const { rules, maxBodyBytes, maxIdlePerToken, certificate, metrics, page, log } = options
  const { settingNames = hubSettings, servesMcpAtRoot = false } = options
  const streams = createSseStreams()
  const requests = metrics.counter('signalbox_http_requests_total', 'HTTP requests by route and status.', [
    'route',
    'status',
  ])
  metrics.gauge('signalbox_streams', 'Open event streams.', () => streams.size)
  let state: State = { is: 'starting' }
  const routes = new Map<string, Route>([
    ['/healthz', { is: 'open', answer: ({ response }) => sendJson(response, 200, { ok: true }) }],
    ['/readyz', { is: 'open', answer: answerReadiness }],
    ['/metrics', { is: 'open', answer: answerMetrics }],
    [loginCallbackPath, { is: 'open', answer: answerLogin }],
    [loginPath, { is: 'open', answer: answerCode }],
    ...mcpRoutes,
    ...(servesMcpAtRoot ? ([['/', streamable]] as const) : []),
  ])
  const answerLoginCode = createLoginRoute()
  let stopping: Promise<void> | undefined

  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    // Node looks for late headers and requests this often; its default of 30 s would be added to both limits.
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 70_000,
  })
  const tlsPort =
    certificate &&
    secureTlsPort({ server, certificate, onSecure: (raw, secure) => unauthenticated.replace(raw, secure) })
  const unauthenticated = limitUnauthenticatedSockets(server)
  // The rest is for files, terminals and upstreams, and for people on the hub's own socket, whom this does not limit.
  server.maxConnections = Math.floor(mostOpenFiles() / 2)
  const idle = limitIdleSockets({ perToken: maxIdlePerToken, inAll: Math.floor(server.maxConnections / 2) })
  server.on('drop', () => idle.closeOldest())
  // Silence in both directions: keep-alives end it for every stream in use.
  server.timeout = 120_000
  server.on('request', (request, response) => {
    response.once('finish', () => {
      requests.add(routeName(request, routes), String(response.statusCode))
      unauthenticated.refresh(request.socket)
    })
    idle.begin(request.socket)
    response.once('close', () => idle.end(request.socket))
    handle(request, response).catch((error: unknown) => refuse(request, response, error))
  })
  // An HTTP server has one listener of its own; the connections of the other are handed to it.
  const local = createNetServer({ allowHalfOpen: true }, (socket) => server.emit('connection', socket))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = clientErrors.get(error.code ?? '') ?? '400 Bad Request'
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, origin } = request.headers
    if (!isHostAllowed(host, rules)) throw foreign(`Host "${host?.slice(0, 100)}"`, 'allowed_hosts')
    if (!isOriginAllowed(origin, host, rules)) throw foreign(`Origin "${origin?.slice(0, 100)}"`, 'allowed_origins')
    if (origin !== undefined) allowOrigin(response, origin)
    if (request.method === 'OPTIONS') return answerPreflight(response)

    const [path, query] = splitUrl(request.url ?? '/')
    const route = routes.get(path)
    if (path.startsWith(hooksPrefix)) return serveHook(path, { request, response, query })
    if (!route) return answerElsewhere(path, { request, response, query })
    if (route.is === 'open') return route.answer({ request, response, query })
    return serveMcp(route.methods, { request, response, query })
  }

  function answerReadiness({ response }: Exchange): void {
    sendJson(response, state.is === 'ready' ? 200 : 503, { ready: state.is === 'ready', hub: state.is })
  }

  function answerMetrics({ response }: Exchange): void {
    sendText(response, 200, 'text/plain; version=0.0.4', metrics.text())
  }

  async function answerLogin(exchange: Exchange): Promise<void> {
    if (state.is !== 'ready')
      throw new HubError('unavailable', `The hub is ${state.is}. Load this page again in a second.`)
    if (!state.finishLogin) return answerElsewhere(loginCallbackPath, exchange)
    return answerLoginCallback(exchange.query, state.finishLogin, exchange.response)
  }

  async function answerCode(exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    if (request.method !== 'POST') return refuseMethod(response, 'POST')
    if (state.is !== 'ready') throw unready(response, state.is)
    if (!state.exchangeCode) return answerElsewhere(loginPath, exchange)
    return answerLoginCode(request, response, state.exchangeCode)
  }

  function answerElsewhere(path: string, { request, response }: Exchange): void {
    if (page?.serve(path, request, response)) return
    sendJson(response, 404, { error: 'Nothing here. The MCP endpoint is /mcp.' })
  }

  async function serveMcp(methods: McpMethods, { request, response, query }: Exchange): Promise<void> {
    if (state.is !== 'ready') throw unready(response, state.is)
    const { authenticator, mcp } = state
    const caller = await prove(authenticator, request, response)
    const serve = Object.entries(methods).find(([method]) => method === request.method)?.[1]
    if (!serve) return refuseMethod(response, Object.keys(methods).join(', '))
    return serve(mcp, { request, response, caller, query })
  }

  async function serveHook(path: string, exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    if (state.is !== 'ready') throw unready(response, state.is)
    const { authenticator, onHook } = state
    const caller = await prove(authenticator, request, response)
    if (request.method !== 'POST') return refuseMethod(response, 'POST')
    if (!onHook) return answerElsewhere(path, exchange)
    return answerHook({ path, request, response, caller, maxBodyBytes, onHook })
  }

  /** While its token is checked a connection does not count as unauthenticated: with PostgreSQL that takes a moment. */
  async function prove(
    authenticator: Authenticator,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Principal> {
    unauthenticated.remove(request.socket)
    try {
      const caller = await authenticate(authenticator, request, response)
      idle.prove(request.socket, caller.tokenId)
      return caller
    } catch (error) {
      unauthenticated.add(request.socket)
      throw error
    }
  }

  async function stop(graceMs: number): Promise<void> {
    const { endpoint } = state.is === 'starting' ? {} : state
    if (state.is === 'ready') state = { ...state, is: 'stopping' }
    const deadline = Date.now() + graceMs
    while (endpoint?.isBusy && Date.now() < deadline) await sleep(20)
    await endpoint?.stop()
    streams.close()
    // Not earlier: a client that connects while we wait gets the answer to try again.
    const closed = Promise.all([server, local].map((each) => new Promise((resolve) => each.close(resolve))))
    server.closeIdleConnections()
    tlsPort?.closeUnfinished()
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
    // Read and drop the rest of the body: a client that still sends when we hang up never sees the answer.
    request.resume().once('close', () => response.end())
    response.write(writeJsonHead(response, answer.status, answer.response))
  }

  return {
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error) => reject(cannotListen(host, port, settingNames.port, error)))
        server.listen(port, host, resolve)
      })
      return (server.address() as AddressInfo).port
    },
    async listenAt(path) {
      try {
        makePrivateDirectory(dirname(path))
        // Left by a hub that was killed: the data directory has one hub at a time.
        rmSync(path, { force: true })
        await listenPrivately(local, path)
      } catch (error) {
        throw new HubError(
          'unavailable',
          `The hub cannot listen on ${path}: ${systemReason(error).replace(/\.$/, '')}. Fix that, or set SIGNALBOX_HOME to another directory.`,
          { cause: error },
        )
      }
    },
    open(parts) {
      state = {
        is: 'ready',
        ...parts,
        mcp: createMcpRoute({ ...parts, streams, maxBodyBytes, bodySetting: settingNames.maxBodyBytes }),
      }
    },
    refreshCertificate: async () => tlsPort?.refresh(),
    stop: (graceMs) => (stopping ??= stop(graceMs)),
  }
}

function mostOpenFiles(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.MAX_SAFE_INTEGER
}

function cannotListen(host: string, port: number, setting: string, error: NodeJS.ErrnoException): HubError {
  const why = error.code === 'EADDRINUSE' ? 'another program holds it' : systemReason(error)
  const advice =
    error.code === 'EADDRNOTAVAIL'
      ? 'Set SIGNALBOX_HOST to an address of this machine, such as 127.0.0.1.'
      : `Set ${setting} to another port, or 0 for any free one.`
  return new HubError('unavailable', `The hub cannot listen on ${host}:${port}: ${why}. ${advice}`, { cause: error })
}

function unready(response: ServerResponse, is: State['is']): HubError {
  response.setHeader('Retry-After', '1')
  return new HubError('unavailable', `The hub is ${is}. Try again in a second.`)
}

async function authenticate(
  authenticator: Authenticator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Principal> {
  const authentication = await authenticator.authenticate(
    request.headers.authorization,
    request.socket.remoteAddress ?? '',
  )
  switch (authentication.is) {
    case 'authenticated':
      return authentication.caller
    case 'unknown':
      throw new HubError('unauthorized', `${authentication.why} "signalbox token issue" makes one.`)
    case 'session-gone':
      throw new RpcError(errorCode.unavailable, 'The session of this token is gone.', { status: 404 })
    case 'too-many-failures':
      response.setHeader('Retry-After', String(authentication.retryAfterSeconds))
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

function refuseMethod(response: ServerResponse, allowed: string): void {
  response.setHeader('Allow', allowed)
  sendJson(response, 405, { error: `Use ${allowed}.` })
}

function routeName(request: IncomingMessage, routes: ReadonlyMap<string, Route>): string {
  const [path] = splitUrl(request.url ?? '/')
  if (path === '/mcp/') return '/mcp'
  return path === '/' || routes.has(path) ? path : 'other'
}
