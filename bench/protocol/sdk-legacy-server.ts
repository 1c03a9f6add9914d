/** The SDK's own server with connections and JSON answers, its fastest mode. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { createSdkServer } from './sdk-tool.ts'
import { announce } from './server-under-test.ts'

const transports = new Map<string, NodeStreamableHTTPServerTransport>()

async function open(): Promise<NodeStreamableHTTPServerTransport> {
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transports.set(id, transport),
  })
  await createSdkServer('legacy').connect(transport)
  return transport
}

const server = createServer((request, response) => {
  const id = request.headers['mcp-session-id']
  const transport = typeof id === 'string' ? transports.get(id) : undefined
  void (transport ? transport.handleRequest(request, response) : open().then((t) => t.handleRequest(request, response)))
})
server.listen(0, '127.0.0.1', () => announce(server))
