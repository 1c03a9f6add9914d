/**
 * HTTP to one upstream, and the one importer of its library: sockets are kept, bounded and ours alone. It follows redirects
 * within the origin and asks for a new token when the old one is refused; everything else is for its caller to judge.
 */
import type { Dispatcher, Pool } from 'undici'
import { HubError, messageOf } from '../../base/hub-error.ts'
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
  /** Other than the path of the upstream's URL. */
  readonly path?: string
}

export type Headers = Readonly<Record<string, string>>
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface ResponseHandler {
  /** The head of the response; answers who reads its body. */
  head(status: number, headers: ResponseHeaders): BodyReader
  /** There will be no response. `NotSent` where not a byte of the request was written. */
  failed(error: Error): void
}

export interface BodyReader {
  /** What it throws ends the response, and comes back as `broken`. */
  data(chunk: Buffer): void
  end(): void
  broken(error: Error): void
}

export interface Exchange {
  /** Ends it. Its handler hears nothing any more. */
  abort(): void
}

/** The way to a token, where the upstream asks for one. */
export interface HttpAuth {
  readonly token: string | undefined
  /** After a refusal. Rejects with what a person has to do, where a person is needed. */
  renew(challenge: Challenge): Promise<void>
}

export interface Challenge {
  readonly status: number
  /** The header WWW-Authenticate. */
  readonly demand: string | undefined
}

const maxSockets = 256
const maxRedirects = 3
const connectWithinMs = 10_000
/** Shorter than the patience of the servers we know: one that hangs up as we write leaves us not knowing. */
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
  const { Pool } = await import('undici')
  const pool: Pool = new Pool(url.origin, {
    connections: maxSockets,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleSocketMs,
    keepAliveMaxTimeout: idleSocketMs,
    connect: { timeout: connectWithinMs },
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
            if (isAborted) return controller.abort(new Error('nobody wants it any more'))
            current = controller
            isWritten = true
          },
          onResponseStart(_controller, status, received) {
            if (status < 200) return
            const again = wayOn(status, received)
            reader = again ? discarding(again) : handler.head(status, received)
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
            // What cannot be sent at all is told before the call returns, and nobody expects it that early.
            else queueMicrotask(() => isAborted || handler.failed(new NotSent(explain(error).message)))
          },
        },
      )

      /** What to do with a response that is not for the caller. */
      function wayOn(status: number, received: ResponseHeaders): (() => void) | undefined {
        const location = received['location']
        if ((status === 307 || status === 308) && typeof location === 'string' && redirectsLeft > 0) {
          const target = URL.parse(location, new URL(path, url))
          // What we send, secrets too, is for this origin only.
          if (target?.origin !== url.origin) return undefined
          return () => dispatch(target.pathname + target.search, redirectsLeft - 1, mayRenew)
        }
        if (auth && mayRenew && isRefusedToken(status, received)) {
          const demand = headerText(received, 'www-authenticate')
          return () => {
            // Another message may have got a new one already.
            const renewed = auth.token === token ? auth.renew({ status, demand }) : Promise.resolve()
            renewed.then(
              () => isAborted || dispatch(path, redirectsLeft, false),
              (error: unknown) => isAborted || handler.failed(new NotSent(messageOf(error), { cause: error })),
            )
          }
        }
        return undefined
      }

      function discarding(next: () => void): BodyReader {
        return { data() {}, end: next, broken: next }
      }
    }

    dispatch(request.path ?? url.pathname + url.search, maxRedirects, true)
    return {
      abort() {
        isAborted = true
        current?.abort(new Error('nobody wants it any more'))
      },
    }
  }

  function explain(error: Error): Error {
    if (error instanceof HubError) return error
    return new HubError('unavailable', `The upstream at ${url.origin} ${whatHappened(error)}.`, { cause: error })
  }

  return { send, origin: url.origin, close: () => pool.destroy() }
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
      return `did not take a connection within ${connectWithinMs / 1000} seconds`
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
  throw new HubError('invalid', 'The "base_url" of the upstream is no http:// or https:// URL. Correct it.')
}

function basicCredentials({ username, password }: URL): string {
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(both, 'utf8').toString('base64')}`
}

function isRefusedToken(status: number, headers: ResponseHeaders): boolean {
  return status === 401 || (status === 403 && /insufficient_scope/.test(headerText(headers, 'www-authenticate') ?? ''))
}

/** Names of headers in lower case, so that none is sent twice. */
export function lowerCased(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Without its parameters. */
export function contentType(headers: ResponseHeaders): string {
  return headerText(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

export function headerText(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
