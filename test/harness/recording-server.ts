/** An HTTP server that records its requests unchanged, and answers with a function of the test. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Recorded {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface RecordingServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly Recorded[]
}

export type Respond = (request: Recorded, response: ServerResponse) => void

export async function startRecordingServer(respond: Respond, port = 0): Promise<RecordingServer> {
  const requests: Recorded[] = []
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks).toString('utf8')
      const recorded = { method: request.method ?? '', headers: request.headers, body }
      requests.push(recorded)
      respond(recorded, response)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${taken}/mcp`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
