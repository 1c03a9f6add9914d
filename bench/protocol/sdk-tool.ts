/** The SDK's low-level server, the cheaper of its two, with one tool that returns the hub's result. */
import { Server } from '@modelcontextprotocol/server'
import { type Era, resultFor } from './server-under-test.ts'

const results = { legacy: resultFor('legacy'), modern: resultFor('modern') }

export function createSdkServer(era: Era): Server {
  const { content, structuredContent } = results[era]
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', () => ({ content, structuredContent }))
  return server
}
