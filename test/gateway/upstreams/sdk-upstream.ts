/**
 * A dual-era server as other people write one: only the SDK's high-level server and its own ways to serve it.
 *
 *   node sdk-upstream.ts --stdio | --http
 *
 * Over HTTP both eras share one port, and the legacy one has connections. It prints `listening on <url>` when it is ready.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { classifyInboundRequest, createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createSdkServer } from './sdk-server.ts'

if (process.argv.includes('--stdio')) serveLines()
else serveHttp()

function serveLines(): void {
  serveStdio(() => {
    const server: McpServer = createSdkServer({
      tools: () => server.sendToolListChanged(),
      prompts: () => server.sendPromptListChanged(),
    })
    return server
  })
}

function serveHttp(): void {
  const modern = createMcpHandler(newServer, { legacy: 'reject' })
  const serveModern = toNodeHandler(modern)
  const connections = new Map<string, NodeStreamableHTTPServerTransport>()

  function newServer(): McpServer {
    return createSdkServer({ tools: () => modern.notify.toolsChanged(), prompts: () => modern.notify.promptsChanged() })
  }

  async function connectionOf(request: IncomingMessage): Promise<NodeStreamableHTTPServerTransport | undefined> {
    const id = request.headers['mcp-session-id']
    if (id !== undefined) return connections.get(String(id))
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (opened) => void connections.set(opened, transport),
    })
    await newServer().connect(transport)
    return transport
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    const body: unknown = method === 'POST' ? await json(request) : undefined
    const inbound = classifyInboundRequest({
      httpMethod: method,
      body,
      ...textOf('protocolVersionHeader', headers['mcp-protocol-version']),
      ...textOf('mcpMethodHeader', headers['mcp-method']),
    })
    if (inbound.kind !== 'legacy') {
      const read = () => request[Symbol.asyncIterator]()
      return serveModern({ method, url, headers, [Symbol.asyncIterator]: read }, response, body)
    }
    const connection = await connectionOf(request)
    if (connection) await connection.handleRequest(request, response, body)
    else response.writeHead(404).end()
  }

  const http = createServer((request, response) => void serve(request, response))
  http.listen(0, '127.0.0.1', () => {
    const { port } = http.address() as AddressInfo
    console.log(`listening on http://127.0.0.1:${port}/mcp`)
  })
}

function textOf<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } {
  return (typeof value === 'string' ? { [name]: value } : {}) as { readonly [Key in Name]?: string }
}
