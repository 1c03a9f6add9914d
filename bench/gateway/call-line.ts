/** One caller that makes the same call again and again, each when the one before is answered. */
import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { openLine } from '../protocol/http-line.ts'
import { initialize, initialized, post, type Target } from '../protocol/request-bytes.ts'
import { modernMeta } from '../../test/harness/modern-call.ts'
import { modernVersion, newestLegacyVersion } from '../../src/mcp/wire.ts'

export interface CallLine {
  /** Answers the text of the response. */
  call(): Promise<string>
  close(): void
}

/** What is said, over and over; each call must bring it back. */
export const saying = 'all trains stop at the next signal'

export interface ToolCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

function callMessage(id: number, params: ToolCall & { readonly _meta?: object }): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

export function prepareModernCall(target: Target, id: number, tool: ToolCall): Buffer {
  const headers = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': tool.name }
  return post(target, headers, callMessage(id, { ...tool, _meta: modernMeta }))
}

/** The bytes of a call on a legacy connection of its own, where the server gives it one. */
export async function prepareLegacyCall(target: Target, id: number, tool: ToolCall): Promise<Buffer> {
  const line = await openLine(target.port)
  const { status, head, body } = await line.exchange(initialize(target))
  if (status !== 200) throw new Error(`initialize was answered with ${status}: ${body}`)
  const connectionId = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1]
  if (connectionId !== undefined) await line.exchange(initialized(target, connectionId))
  line.close()
  const headers = {
    'mcp-protocol-version': newestLegacyVersion,
    ...(connectionId !== undefined && { 'mcp-session-id': connectionId }),
  }
  return post(target, headers, callMessage(id, tool))
}

/** Lines that send ready-made bytes. What was prepared for one is used in every round. */
export function httpCalls(port: number, prepare: (id: number) => Promise<Buffer>): (id: number) => Promise<CallLine> {
  const prepared = new Map<number, Buffer>()
  return async (id) => {
    const request = prepared.get(id) ?? (await prepare(id))
    prepared.set(id, request)
    return openHttpCalls(port, request)
  }
}

async function openHttpCalls(port: number, request: Buffer): Promise<CallLine> {
  const line = await openLine(port)
  return {
    async call() {
      const { status, body } = await line.exchange(request)
      if (status !== 200) throw new Error(`HTTP ${status}: ${body}`)
      return body
    },
    close: () => line.close(),
  }
}

/** The 2024 pair: what is asked with POST is answered on the stream of a GET. */
export async function openSseCalls(target: Target, id: number, tool: ToolCall): Promise<CallLine> {
  const request = get({ port: target.port, host: '127.0.0.1', path: target.path })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`GET ${target.path} was answered with ${response.statusCode}`)
  let waiting: ((data: string) => void) | undefined
  let received = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
    for (let end = received.indexOf('\n\n'); end >= 0; end = received.indexOf('\n\n')) {
      const data = /^data: ?(.*)$/m.exec(received.slice(0, end))?.[1]
      received = received.slice(end + 2)
      // Between the answers there are notices, which nobody asked for.
      if (data !== undefined && !data.includes('"method"')) waiting?.(data)
    }
  })
  const nextEvent = () => new Promise<string>((resolve) => (waiting = resolve))

  const place = new URL(await nextEvent(), `http://127.0.0.1:${target.port}`)
  const messages = { ...target, path: `${place.pathname}${place.search}` }
  const line = await openLine(target.port)
  async function ask(bytes: Buffer): Promise<string> {
    const answer = nextEvent()
    await line.exchange(bytes)
    return answer
  }
  await ask(initialize(messages))
  await line.exchange(post(messages, {}, { jsonrpc: '2.0', method: 'notifications/initialized' }))
  const bytes = post(messages, {}, callMessage(id, tool))
  return {
    call: () => ask(bytes),
    close() {
      line.close()
      request.destroy()
    },
  }
}
