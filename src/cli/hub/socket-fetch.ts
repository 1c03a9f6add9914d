/** `fetch` through a unix socket, which Node's `fetch` cannot do. */
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { plainUrl } from '../../base/plain-url.ts'
import { assertPrivateSocket } from '../../base/private-socket.ts'

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Supports only text bodies, which is all that an MCP client sends. */
export function createSocketFetch(socketPath: string): Fetch {
  return async (url, init = {}) => {
    const { method = 'GET', headers, body, signal } = init
    if (body !== undefined && typeof body !== 'string') throw new TypeError('The socket fetch sends only text.')
    assertPrivateSocket(socketPath)
    return new Promise((resolve, reject) => {
      request(plainUrl(url), {
        socketPath,
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal && { signal }),
      })
        .on('response', (response) => resolve(toResponse(response)))
        .on('error', reject)
        .end(body)
    })
  }
}

function toResponse(response: IncomingMessage): Response {
  const { statusCode = 500, headersDistinct } = response
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  if (statusCode === 204 || statusCode === 304) {
    response.resume()
    return new Response(null, { status: statusCode, headers })
  }
  return new Response(Readable.toWeb(response) as ReadableStream, { status: statusCode, headers })
}
