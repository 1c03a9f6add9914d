/** A minimal client of the hub, since it runs on the same machine as the hub. */
import { Agent, request } from 'node:http'
import { modernVersion } from '../../src/mcp/wire.ts'
import { type Endpoint, modernMeta } from '../../test/harness/modern-call.ts'

export interface McpClient extends Disposable {
  /** Returns the structured result of the tool, or its parsed text. */
  call<Result>(tool: string, args: object): Promise<Result>
}

interface ToolResult {
  readonly isError?: boolean
  readonly structuredContent?: unknown
  readonly content: readonly { readonly text?: string }[]
}

export function openClient({ url, token }: Endpoint): McpClient {
  const agent = new Agent({ keepAlive: true })

  function post(headers: Readonly<Record<string, string>>, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
      const sending = request(url, options)
      sending.on('error', (error) => {
        // The hub had just closed an idle connection.
        if (sending.reusedSocket) resolve(post(headers, body))
        else reject(error)
      })
      sending.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
        response.on('error', reject)
      })
      sending.end(body)
    })
  }

  return {
    async call<Result>(tool: string, args: object): Promise<Result> {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': modernVersion,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      }
      const params = { name: tool, arguments: args, _meta: modernMeta }
      const text = await post(headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
      const { result } = JSON.parse(lastMessageIn(text)) as { result?: ToolResult }
      if (!result || result.isError) throw new Error(`${tool}: ${text.slice(0, 500)}`)
      return (result.structuredContent ?? parseText(result.content[0]?.text)) as Result
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** A slow call is answered with an event stream, whose last event is the answer. */
function lastMessageIn(text: string): string {
  if (text.startsWith('{')) return text
  return (
    text
      .split('\n')
      .findLast((line) => line.startsWith('data: {'))
      ?.slice('data: '.length) ?? text
  )
}

function parseText(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}

/** The answer of read_output. */
export interface Output {
  readonly data: string
  readonly encoding: 'utf8' | 'base64'
  readonly next_offset: number
}
