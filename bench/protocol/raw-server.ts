/** The baseline: plain `node:http`, which parses a JSON-RPC request and answers with the same bytes as the hub. */
import { createServer } from 'node:http'
import { announce, resultFor } from './server-under-test.ts'

const results = { '/legacy': resultFor('legacy'), '/modern': resultFor('modern') }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString())
    const result = request.url === '/legacy' ? results['/legacy'] : results['/modern']
    const body = JSON.stringify({ jsonrpc: '2.0', id, result })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
  })
})
server.listen(0, '127.0.0.1', () => announce(server))
