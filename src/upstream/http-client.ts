/**
 * HTTP to one upstream. The only importer of the HTTP library: sockets are reused, limited in number and not shared
 * with other upstreams. It follows redirects within the origin and requests a new token when the old one is refused.
 * The caller handles every other status. No response is read faster than the upstream's share of the event loop allows.
 */
import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher, Pool } from 'undici'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { LoopShare } from '../base/loop-share.ts'
import { createLoopShare } from '../base/loop-share.ts'
import type { Zone } from '../base/address-zone.ts'
import { fartherOf, zoneOf } from '../base/address-zone.ts'
import type { HeldBytes, HeldMessage } from './held-bytes.ts'
import { createHeldBytes } from './held-bytes.ts'
import type { Step } from './intake.ts'
import { Intake } from './intake.ts'
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
  head(status: number, headers: ResponseHeaders, body: Body): BodyReader
  /** No response will come. The error is `NotSent` if no byte of the request was written. */
  failed(error: Error): void
}

export interface Body {
  /** Passes a message on, after those before it. For the reader, in `data` and `end`. */
  step(step: Step): void
  /** Whether this many bytes of the body may be kept. */
  mayKeep(bytes: number): boolean
}

export interface BodyReader {
  /** An exception here ends the response and comes back as `broken`. */
  data(chunk: Buffer): void
  end(): void
  broken(error: Error): void
  /** The body has many small messages, so a chunk may be too much to read at once. */
  readonly inPieces?: boolean
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
  const share = createLoopShare()
  const heldBytes = createHeldBytes()
  let zone: Zone | undefined
  let reading: Source | undefined
  const connect = notingSocket(buildConnector({ timeout: connectWithinMs }), (socket) => {
    zone = fartherOf(zoneOf(socket.remoteAddress ?? ''), zone ?? 'machine')
    const source = pausable(socket)
    // The library reads the socket in its own listener, which is added after this one.
    socket.on('readable', () => (reading = source))
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
    let response: Response | undefined

    function dispatch(path: string, redirectsLeft: number, mayRenew: boolean): void {
      let isWritten = false
      response = undefined
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
            // Undici's own pause fails an assertion when the socket breaks meanwhile.
            const source = reading ?? controller
            const toReader = (body: Body) => (again ? discarding(controller) : handler.head(status, received, body))
            response = new Response({ source, share, heldBytes, explain }, controller, toReader)
            again?.()
          },
          onResponseData(_controller, chunk) {
            if (!isAborted) response?.data(chunk)
          },
          onResponseEnd() {
            if (!isAborted) response?.end()
          },
          onResponseError(_controller, error) {
            if (isAborted) return
            if (response) response.broken(error)
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
        response?.stop()
        current?.abort(new Error('the response is no longer needed'))
      },
    }
  }

  function explain(error: Error): Error {
    if (error instanceof HubError) return error
    return new HubError('unavailable', `The upstream at ${url.origin} ${whatHappened(error)}.`, { cause: error })
  }

  return {
    send,
    origin: url.origin,
    close() {
      share[Symbol.dispose]()
      return pool.destroy()
    },
  }
}

/** Reads a response as fast as the share of its upstream allows. */
class Response implements Body {
  readonly #source: Source
  readonly #heldBytes: HeldBytes
  #held: HeldMessage | undefined
  readonly #explain: (error: Error) => Error
  readonly #reader: BodyReader
  readonly #intake: Intake
  #isOver = false

  constructor(
    options: {
      readonly source: Source
      readonly share: LoopShare
      readonly heldBytes: HeldBytes
      explain(error: Error): Error
    },
    controller: Dispatcher.DispatchController,
    toReader: (body: Body) => BodyReader,
  ) {
    const { source, share } = options
    this.#source = source
    this.#heldBytes = options.heldBytes
    this.#explain = options.explain
    const reader = toReader(this)
    this.#reader = reader
    this.#intake = new Intake({
      share,
      source,
      inPieces: reader.inPieces ?? false,
      read: (bytes) => reader.data(bytes),
      failed: (error) => {
        this.stop()
        controller.abort(error as Error)
        reader.broken(this.#explain(error as Error))
      },
    })
  }

  step(step: Step): void {
    this.#intake.step(step)
  }

  mayKeep(bytes: number): boolean {
    if (bytes === 0 && !this.#held) return true
    this.#held ??= this.#heldBytes.open()
    return this.#held.grow(bytes)
  }

  data(chunk: Buffer): void {
    this.#intake.take(chunk)
  }

  end(): void {
    this.#intake.end(() => this.#reader.end())
    this.#intake.end(() => this.stop())
  }

  broken(error: Error): void {
    if (this.#isOver) return
    this.#intake.end(() => this.#reader.broken(this.#explain(error)))
    this.#intake.end(() => this.stop())
  }

  stop(): void {
    this.#isOver = true
    this.#intake.stop()
    this.#held?.release()
    // Another response may follow on the same socket.
    this.#source.resume()
  }
}

interface Source {
  pause(): void
  resume(): void
}

/** The HTTP library reads a socket until nothing is left. While it is paused, nothing is. */
function pausable(socket: Socket): Source {
  let isPaused = false
  return {
    pause() {
      isPaused = true
      socket.read = () => null
    },
    resume() {
      if (!isPaused) return
      isPaused = false
      Reflect.deleteProperty(socket, 'read')
      socket.emit('readable')
    },
  }
}

/** Reads a body that is not needed. A short body is read so that the socket can be reused; an endless one is cut. */
function discarding(controller: Dispatcher.DispatchController): BodyReader {
  const timer = setTimeout(() => controller.abort(new Error('the response is not needed')), discardWithinMs)
  const stop = () => clearTimeout(timer)
  return { data() {}, end: stop, broken: stop }
}

function notingSocket(connect: buildConnector.connector, note: (socket: Socket) => void): buildConnector.connector {
  return (options, done) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return done(error, null)
      note(socket)
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
