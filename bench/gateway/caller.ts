/** A caller that repeats the same call, each after the answer to the one before. */
import { get, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { openConnection } from '../protocol/http-connection.ts'
import { initialize, initialized, post, type Target } from '../protocol/request-bytes.ts'
import { modernMeta } from '../../test/harness/modern-call.ts'
import { modernVersion, newestLegacyVersion } from '../../src/mcp/wire.ts'

export interface Caller {
  /** Returns the text of the response. */
  call(): Promise<string>
  close(): void
}

/** The text of every call, which each answer must contain. */
export const echoText = 'all trains stop at the next signal'

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

/** The bytes of a call. If the server uses MCP connections, the call gets one of its own. */
export async function prepareLegacyCall(target: Target, id: number, tool: ToolCall): Promise<Buffer> {
  const connection = await openConnection(target.port)
  const { status, head, body } = await connection.exchange(initialize(target))
  if (status !== 200) throw new Error(`initialize was answered with ${status}: ${body}`)
  const connectionId = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1]
  if (connectionId !== undefined) await connection.exchange(initialized(target, connectionId))
  connection.close()
  const headers = {
    'mcp-protocol-version': newestLegacyVersion,
    ...(connectionId !== undefined && { 'mcp-session-id': connectionId }),
  }
  return post(target, headers, callMessage(id, tool))
}

/** Callers that send prepared bytes. The bytes are prepared once and used in every round. */
export function httpCalls(port: number, prepare: (id: number) => Promise<Buffer>): (id: number) => Promise<Caller> {
  const prepared = new Map<number, Buffer>()
  return async (id) => {
    const request = prepared.get(id) ?? (await prepare(id))
    prepared.set(id, request)
    return openHttpCalls(port, request)
  }
}

async function openHttpCalls(port: number, request: Buffer): Promise<Caller> {
  const connection = await openConnection(port)
  return {
    async call() {
      const { status, body } = await connection.exchange(request)
      if (status !== 200) throw new Error(`HTTP ${status}: ${body}`)
      return body
    },
    close: () => connection.close(),
  }
}

/** The 2024 transport: a POST request is answered on the stream of a GET request. */
export async function openSseCalls(target: Target, id: number, tool: ToolCall): Promise<Caller> {
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
      // Skip notifications between the answers.
      if (data !== undefined && !data.includes('"method"')) waiting?.(data)
    }
  })
  const nextEvent = () => new Promise<string>((resolve) => (waiting = resolve))

  const address = new URL(await nextEvent(), `http://127.0.0.1:${target.port}`)
  const messages = { ...target, path: `${address.pathname}${address.search}` }
  const connection = await openConnection(target.port)
  async function ask(bytes: Buffer): Promise<string> {
    const answer = nextEvent()
    await connection.exchange(bytes)
    return answer
  }
  await ask(initialize(messages))
  await connection.exchange(post(messages, {}, { jsonrpc: '2.0', method: 'notifications/initialized' }))
  const bytes = post(messages, {}, callMessage(id, tool))
  return {
    call: () => ask(bytes),
    close() {
      connection.close()
      request.destroy()
    },
  }
}
