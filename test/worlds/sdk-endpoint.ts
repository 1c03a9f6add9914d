/** An MCP endpoint made with the SDK, to test our client against a server we did not write. */
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { listenAnywhere } from '../fixtures/ports.ts'

export interface SdkEndpoint {
  readonly url: string
  /** The query of each request, in order. */
  readonly queries: readonly string[]
}

export type Eras = 'both' | 'legacy' | 'modern'

export async function startSdkEndpoint(options: { token: string; eras?: Eras }): Promise<SdkEndpoint> {
  const { token, eras = 'both' } = options
  const handler = createMcpHandler(createTools, { legacy: eras === 'modern' ? 'reject' : 'stateless' })
  const answer = toNodeHandler(handler)
  const queries: string[] = []
  const server = createServer((request, response) => {
    queries.push(new URL(request.url ?? '/', 'http://localhost').search)
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
      return
    }
    if (eras === 'legacy' && request.headers['mcp-protocol-version'] === '2026-07-28') {
      response.writeHead(400).end('Bad Request: Unsupported protocol version')
      return
    }
    const { method = 'GET', url = '/', headers } = request
    const body = { [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() }
    void answer({ method, url, headers, ...body }, response)
  })
  const port = await listenAnywhere(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await handler.close()
  })
  return { url: `http://127.0.0.1:${port}/mcp`, queries }
}

function createTools(): McpServer {
  const server = new McpServer({ name: 'sdk-endpoint', version: '1.0.0' })
  server.registerTool(
    'hub_status',
    { description: 'how it is', inputSchema: z.object({}), outputSchema: z.object({ version: z.string() }) },
    () => ({ content: [{ type: 'text', text: '{"version":"9.9.9"}' }], structuredContent: { version: '9.9.9' } }),
  )
  server.registerTool(
    'greet',
    { description: 'says hello', inputSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      content: [{ type: 'text', text: `hello, ${name}` }],
    }),
  )
  server.registerTool('refuse', { description: 'always an error', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'Not today, for password: hunter2.\nAsk again tomorrow.' }],
    isError: true,
  }))
  server.registerTool('sleep', { description: 'never ends', inputSchema: z.object({}) }, () => new Promise(() => {}))
  return server
}
