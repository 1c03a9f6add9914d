/** The CLI's transport: HTTP through a unix socket or to an address. */
import { request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { plainUrl } from '../../base/plain-url.ts'
import { assertPrivateSocket } from '../../base/private-socket.ts'
import type { HttpAnswer, Send } from '../../client/client.ts'

export function createSend(socketPath: string | undefined): Send {
  return async (url, { method, headers, body, signal }) => {
    if (socketPath !== undefined) assertPrivateSocket(socketPath)
    const isTls = socketPath === undefined && url.startsWith('https:')
    const { request } = isTls ? await import('node:https') : { request: requestHttp }
    const options = { method, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) }, signal }
    return new Promise((resolve, reject) => {
      const sending =
        socketPath === undefined ? request(url, options) : request(plainUrl(url), { ...options, socketPath })
      sending
        .on('response', (response) => resolve(toAnswer(response)))
        .on('error', reject)
        .end(body)
    })
  }
}

function toAnswer(response: IncomingMessage): HttpAnswer {
  const { statusCode = 0, headers } = response
  const chunks = response.iterator({ destroyOnReturn: true }) as AsyncIterator<Uint8Array, undefined>
  return {
    status: statusCode,
    headers: { get: (name) => headers[name]?.toString() ?? null },
    body: {
      getReader: () => ({
        read: async () => ({ done: false, ...(await chunks.next()) }),
        cancel: async () => chunks.return?.(),
      }),
    },
  }
}
