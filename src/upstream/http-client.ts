/**
 * HTTP to one upstream. The only importer of the HTTP library: sockets are reused, limited in number and not shared
 * with other upstreams. It follows redirects within the origin and requests a new token when the old one is refused.
 * The caller handles every other status.
 */
import type { buildConnector, Dispatcher, Pool } from 'undici'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Zone } from '../base/address-zone.ts'
import { fartherOf, zoneOf } from '../base/address-zone.ts'
import { NotSent } from './transport.ts'

export interface HttpClient {
  send(request: HttpRequest, handler: ResponseHandler): Exchange
  readonly origin: string
  close(): Promise<void>
}

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Headers
  readonly body?: string
  /** Replaces the path of the upstream's URL. */
  readonly path?: string
}

export type Headers = Readonly<Record<string, string>>
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface ResponseHandler {
  /** Receives the head of the response and returns the reader for the body. */
  head(status: number, headers: ResponseHeaders): BodyReader
  /** No response will come. The error is `NotSent` if no byte of the request was written. */
  failed(error: Error): void
}

export interface BodyReader {
  /** An exception here ends the response and comes back as `broken`. */
  data(chunk: Buffer): void
  end(): void
  broken(error: Error): void
}

export interface Exchange {
  /** Ends the request. Its handler is not called again. */
  abort(): void
}

/** Provides the token if the upstream requires one. */
export interface HttpAuth {
  readonly token: string | undefined
  /** Called after a refusal. Rejects with what a person has to do, if a person is needed. */
  renew(challenge: Challenge): Promise<void>
}

export interface Challenge {
  readonly status: number
  /** The WWW-Authenticate header. */
  readonly demand: string | undefined
  /** Who can reach the upstream, judging by the addresses that answered for it. */
  readonly zone: Zone
}

const maxSockets = 256
const maxRedirects = 3
const connectWithinMs = 10_000
const discardWithinMs = 1_000
/**
 * Shorter than the idle timeout of the servers we know. If the server closes a socket while we write, we cannot know
 * whether the request arrived.
 */
const idleSocketMs = 4_000

export async function openHttpClient(options: {
  readonly url: string
  readonly headers: Headers
  readonly auth?: HttpAuth | undefined
}): Promise<HttpClient> {
  const { auth } = options
  const url = parseUrl(options.url)
  const fixed = lowerCased(options.headers)
  if (url.username !== '') fixed['authorization'] ??= basicCredentials(url)
  const { Pool, buildConnector } = await import('undici')
  let zone: Zone | undefined
  const connect = notingAddress(buildConnector({ timeout: connectWithinMs }), (address) => {
    zone = fartherOf(zoneOf(address), zone ?? 'machine')
  })
  const pool: Pool = new Pool(url.origin, {
    connections: maxSockets,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleSocketMs,
    keepAliveMaxTimeout: idleSocketMs,
    connect,
  })

  function send(request: HttpRequest, handler: ResponseHandler): Exchange {
    let isAborted = false
    let current: Dispatcher.DispatchController | undefined

    function dispatch(path: string, redirectsLeft: number, mayRenew: boolean): void {
      let reader: BodyReader | undefined
      let isWritten = false
      const headers: Record<string, string> = { ...fixed, ...request.headers }
      const token = auth?.token
      if (token !== undefined) headers['authorization'] = `Bearer ${token}`
      pool.dispatch(
        { path, method: request.method, headers, body: request.body ?? null },
        {
          onRequestStart(controller) {
            if (isAborted) return controller.abort(new Error('the response is no longer needed'))
            current = controller
            isWritten = true
          },
          onResponseStart(controller, status, received) {
            if (status < 200) return
            const again = nextStep(status, received)
            reader = again ? discarding(controller) : handler.head(status, received)
            again?.()
          },
          onResponseData(_controller, chunk) {
            if (!isAborted) reader?.data(chunk)
          },
          onResponseEnd() {
            if (!isAborted) reader?.end()
          },
          onResponseError(_controller, error) {
            if (isAborted) return
            if (reader) reader.broken(explain(error))
            else if (isWritten) handler.failed(explain(error))
            // Undici reports a request that cannot be sent before this function returns. Callers do not expect that.
            else queueMicrotask(() => isAborted || handler.failed(new NotSent(explain(error).message)))
          },
        },
      )

      /** Returns how to continue after a response that is not for the caller. */
      function nextStep(status: number, received: ResponseHeaders): (() => void) | undefined {
        const location = received['location']
        if ((status === 307 || status === 308) && typeof location === 'string' && redirectsLeft > 0) {
          const target = URL.parse(location, new URL(path, url))
          // Our messages, secrets included, are for this origin only.
          if (target?.origin !== url.origin) return undefined
          return () => dispatch(target.pathname + target.search, redirectsLeft - 1, mayRenew)
        }
        if (auth && mayRenew && isRefusedToken(status, received)) {
          const demand = headerText(received, 'www-authenticate')
          return () => {
            // Another message may have renewed the token already.
            const renewed =
              auth.token === token ? auth.renew({ status, demand, zone: zone ?? 'internet' }) : Promise.resolve()
            renewed.then(
              () => isAborted || dispatch(path, redirectsLeft, false),
              (error: unknown) => isAborted || handler.failed(new NotSent(messageOf(error), { cause: error })),
            )
          }
        }
        return undefined
      }
    }

    dispatch(request.path ?? url.pathname + url.search, maxRedirects, true)
    return {
      abort() {
        isAborted = true
        current?.abort(new Error('the response is no longer needed'))
      },
    }
  }

  function explain(error: Error): Error {
    if (error instanceof HubError) return error
    return new HubError('unavailable', `The upstream at ${url.origin} ${whatHappened(error)}.`, { cause: error })
  }

  return { send, origin: url.origin, close: () => pool.destroy() }
}

/** Reads a body that is not needed. A short body is read so that the socket can be reused; an endless one is cut. */
function discarding(controller: Dispatcher.DispatchController): BodyReader {
  const timer = setTimeout(() => controller.abort(new Error('the response is not needed')), discardWithinMs)
  const stop = () => clearTimeout(timer)
  return { data() {}, end: stop, broken: stop }
}

function notingAddress(connect: buildConnector.connector, note: (address: string) => void): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return done(error, null)
      note(socket.remoteAddress ?? '')
      done(null, socket)
    })
}

function whatHappened(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ECONNREFUSED':
      return 'refuses connections: nothing listens there. Start it, or correct "base_url"'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'cannot be found: its name has no address. Correct "base_url", or check the network'
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `did not accept a connection within ${connectWithinMs / 1000} seconds`
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'closed the connection before its answer was complete'
    default:
      return `cannot be reached: ${messageOf(error)}`
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new HubError('invalid', 'The "base_url" of the upstream is not an http:// or https:// URL. Correct it.')
}

function basicCredentials({ username, password }: URL): string {
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(both, 'utf8').toString('base64')}`
}

function isRefusedToken(status: number, headers: ResponseHeaders): boolean {
  return status === 401 || (status === 403 && /insufficient_scope/.test(headerText(headers, 'www-authenticate') ?? ''))
}

/** Header names in lower case, so that no header is sent twice. */
export function lowerCased(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** The content type without its parameters. */
export function contentType(headers: ResponseHeaders): string {
  return headerText(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
