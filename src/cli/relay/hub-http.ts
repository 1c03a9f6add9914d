/** The relay's HTTP client. It waits for a hub that is down, and never repeats a request that is not idempotent. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../base/hub-error.ts'
import { plainUrl } from '../../base/plain-url.ts'
import { assertPrivateSocket } from '../../base/private-socket.ts'
import { CliError } from '../command/cli-error.ts'
import { refusedToken, unsafeSocket } from '../hub-client/hub-address.ts'
import type { HubAddress } from '../hub-client/hub-address.ts'

export type Headers = Readonly<Record<string, string>>

export interface HubRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Headers
  readonly body?: string
  readonly signal: AbortSignal
  /** May be sent again if it is unknown whether it has arrived. */
  readonly isIdempotent: boolean
}

export interface HubHttp extends Disposable {
  /**
   * Rejects with a `CliError` if no hub answers or the token is refused, and with another error if it is unknown whether
   * the request has arrived.
   */
  send(request: HubRequest): Promise<IncomingMessage>
}

/** How long a hub may be down, for example during an update. */
const maxOutageMs = 30_000
const retryMs = 200

/** Errors that occur before a byte is sent. */
const codesBeforeSending = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

export function createHubHttp(address: HubAddress): HubHttp {
  const { socket, token } = address
  const url = socket === undefined ? address.url : plainUrl(address.url)
  const isTls = new URL(url).protocol === 'https:'
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const request = isTls ? requestHttps : requestHttp
  const authorization: Headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }

  function sendOnce({ method, headers, body, signal }: HubRequest): Promise<IncomingMessage> {
    const accept = { Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream' }
    const content: Headers =
      body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
    const options = { method, agent, signal, headers: { ...authorization, ...accept, ...content, ...headers } }
    return new Promise((resolve, reject) => {
      if (socket !== undefined) assertPrivateSocket(socket)
      request(url, socket === undefined ? options : { ...options, socketPath: socket })
        .on('response', resolve)
        .on('error', reject)
        .end(body)
    })
  }

  return {
    async send(hubRequest) {
      const giveUpAt = performance.now() + maxOutageMs
      for (;;) {
        const isLast = performance.now() > giveUpAt
        try {
          const response = await sendOnce(hubRequest)
          if (response.statusCode === 401) throw refusedToken(address)
          // 503 means that the hub is starting or stopping, and has not handled the request.
          if (response.statusCode !== 503 || isLast) return response
          response.resume()
        } catch (error) {
          if (error instanceof HubError) throw unsafeSocket(error)
          if (hubRequest.signal.aborted || error instanceof CliError) throw error
          if (isLast && wasNotSent(error)) throw unreachable(address, error)
          if (isLast || !(hubRequest.isIdempotent || wasNotSent(error))) throw error
        }
        await sleep(retryMs, undefined, { signal: hubRequest.signal })
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function wasNotSent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codesBeforeSending.has(String(error.code))
}

function unreachable({ url }: HubAddress, cause: unknown): CliError {
  return new CliError('unreachable', `No hub answers at ${url}. Start it with "signalbox up".`, { cause })
}
