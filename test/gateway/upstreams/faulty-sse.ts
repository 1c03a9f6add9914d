/** The faulty upstream over HTTP+SSE of 2024-11-05: every message to a client goes over its one stream. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Reply } from './fault-tools.ts'
import { asEvent, listen, readMessage, type Serving } from './faulty-http.ts'

export function serveSse({ receive, listeners }: Serving): void {
  const streams = new Map<string, ServerResponse>()
  listen('/sse', async (request, response) => {
    if (request.url === '/sse') return open(response)
    const stream = streams.get(request.url ?? '')
    if (stream) receive(await readMessage(request), replyOn(stream, response))
    else response.writeHead(404).end()
  })

  function open(stream: ServerResponse): void {
    const endpoint = `/messages/${randomUUID()}`
    streams.set(endpoint, stream)
    stream.writeHead(200, { 'content-type': 'text/event-stream' }).write(`event: endpoint\ndata: ${endpoint}\n\n`)
    const tell = (notice: object) => stream.write(asEvent(notice))
    listeners.add(tell)
    stream.once('close', () => {
      streams.delete(endpoint)
      listeners.delete(tell)
    })
  }
}

function replyOn(stream: ServerResponse, response: ServerResponse): Reply {
  const accept = () => response.headersSent || response.writeHead(202).end()
  let hasBegun = false
  return {
    messages(...messages) {
      accept()
      stream.write(messages.map(asEvent).join(''))
    },
    async write(bytes) {
      accept()
      const head = hasBegun ? '' : 'event: message\ndata: '
      hasBegun = true
      if (!stream.write(head + bytes)) await once(stream, 'drain')
    },
    end() {
      accept()
      if (hasBegun) stream.write('\n\n')
    },
    cut() {
      accept()
      stream.destroy()
    },
    status: (code, body) => void response.writeHead(code).end(body),
  }
}
