/** The relay's HTTP: requests that wait while a hub is not there yet, and never happen twice without anybody knowing. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import type { HubAddress } from '../hub-address.ts'

export type Headers = Readonly<Record<string, string>>

export interface HubRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Headers
  readonly body?: string
  readonly signal: AbortSignal
  /** May be sent again when it is not known whether it has arrived. */
  readonly isRepeatable: boolean
}

export interface HubHttp extends Disposable {
  /**
   * Rejects with a `CliError` where nobody answers or the token is refused, and with anything else where it is not known
   * whether the request has arrived.
   */
  send(request: HubRequest): Promise<IncomingMessage>
}

/** So long a hub may be away, as it is when it is updated. */
const awayMs = 30_000
const retryMs = 200

/** Failures that come before a byte was sent. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

export function createHubHttp(address: HubAddress): HubHttp {
  const { url, token } = address
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
    return new Promise((resolve, reject) => {
      request(url, { method, agent, signal, headers: { ...authorization, ...accept, ...content, ...headers } })
        .on('response', resolve)
        .on('error', reject)
        .end(body)
    })
  }

  return {
    async send(hubRequest) {
      const giveUpAt = performance.now() + awayMs
      for (;;) {
        const isLast = performance.now() > giveUpAt
        try {
          const response = await sendOnce(hubRequest)
          if (response.statusCode === 401) throw unauthorized(address)
          // At 503 it is starting or stopping, and has done nothing yet.
          if (response.statusCode !== 503 || isLast) return response
          response.resume()
        } catch (error) {
          if (hubRequest.signal.aborted || error instanceof CliError) throw error
          if (isLast && wasNotSent(error)) throw unreachable(address, error)
          if (isLast || !(hubRequest.isRepeatable || wasNotSent(error))) throw error
        }
        await sleep(retryMs, undefined, { signal: hubRequest.signal })
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function wasNotSent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unsent.has(String(error.code))
}

function unreachable({ url }: HubAddress, cause: unknown): CliError {
  return new CliError('unreachable', `No hub answers at ${url}; start it with "signalbox up".`, { cause })
}

function unauthorized({ url, token, tokenFrom }: HubAddress): CliError {
  const what =
    token === undefined
      ? `wants a token, and there is none in ${tokenFrom}: set SIGNALBOX_TOKEN`
      : `does not accept the token of ${tokenFrom}: "signalbox token issue" makes another`
  return new CliError('unauthorized', `The hub at ${url} ${what}.`)
}
