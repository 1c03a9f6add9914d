/** A real HTTP server whose answers the test writes. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Visit {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The posted message. */
  readonly message: { readonly id?: string | number; readonly method?: string; readonly params?: unknown } | undefined
  /** The posted form, if the body is not JSON. */
  readonly form: URLSearchParams
  readonly response: ServerResponse
}

export interface HttpUpstream {
  readonly origin: string
  readonly url: string
  readonly visits: readonly Visit[]
  /** Closes all sockets. */
  cut(): void
  stop(): Promise<void>
}

export async function serveHttp(
  answer: (visit: Visit) => unknown,
  options: { readonly port?: number; readonly path?: string } = {},
): Promise<HttpUpstream> {
  const visits: Visit[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const { method = '', url = '', headers } = request
      const isJson = headers['content-type']?.startsWith('application/json') ?? false
      const visit: Visit = {
        method,
        path: url,
        headers,
        message: isJson ? (JSON.parse(body) as Visit['message']) : undefined,
        form: new URLSearchParams(isJson ? '' : body),
        response,
      }
      visits.push(visit)
      answer(visit)
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  return { origin, url: `${origin}${options.path ?? '/mcp'}`, visits, cut: () => server.closeAllConnections(), stop }
}

export function answerJson({ message, response }: Visit, result: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, result }))
}

/** Sends the head of an event stream. Returns a function that writes an event. */
export function openStream({ response }: Visit): (event: { data?: unknown; id?: string; event?: string }) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  return ({ data, id, event }) => {
    const name = event === undefined ? '' : `event: ${event}\n`
    const mark = id === undefined ? '' : `id: ${id}\n`
    response.write(`${name}${mark}data: ${data === undefined ? '' : JSON.stringify(data)}\n\n`)
  }
}

export const resultOf = ({ message }: Visit, result: unknown) => ({ jsonrpc: '2.0', id: message?.id, result })
export const notice = (method: string, params = {}) => ({ jsonrpc: '2.0', method, params })
