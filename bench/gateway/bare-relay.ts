/**
 * The minimal HTTP hop: forwards a request body to the upstream, and the answer back. It does not parse, name, decide
 * or record anything.
 *
 *   node bare-relay.ts <url of the upstream>
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const url = new URL(process.argv[2]!)
const pool = new Pool(url.origin, { connections: 256 })
const passed = ['content-type', 'accept', 'mcp-session-id', 'mcp-protocol-version'] as const

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const answered: Buffer[] = []
    pool.dispatch(
      { path: url.pathname, method: 'POST', headers: headersOf(request), body: Buffer.concat(chunks) },
      {
        onRequestStart() {},
        onResponseStart: (_, status, headers) => void response.writeHead(status, headers),
        onResponseData: (_, chunk) => void answered.push(chunk),
        onResponseEnd: () => void response.end(Buffer.concat(answered)),
        onResponseError: () => void response.destroy(),
      },
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
})

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    passed.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}
