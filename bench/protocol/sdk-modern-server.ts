/** The SDK's own server for 2026-07-28: one server per request, behind its Node adapter. */
import { createServer, type IncomingMessage } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createSdkServer } from './sdk-tool.ts'
import { announce } from './server-under-test.ts'

const handle = toNodeHandler(
  createMcpHandler(() => createSdkServer('modern'), { legacy: 'reject', responseMode: 'json' }),
)

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it does not allow the `undefined` in Node's type
const asExpected = (request: IncomingMessage) => request as NodeIncomingMessageLike
const server = createServer((request, response) => void handle(asExpected(request), response))
server.listen(0, '127.0.0.1', () => announce(server))
