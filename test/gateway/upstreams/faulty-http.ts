/** The faulty upstream over Streamable HTTP: with connections before 2026-07-28, without them since. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Reply, Request } from './fault-tools.ts'

export interface Serving {
  readonly isModern: boolean
  receive(message: Partial<Request>, reply: Reply): void
  /** Writes to the journal. */
  note(message: object): void
  /** The receivers of change notices. */
  readonly listeners: Set<(notice: object) => void>
  readonly connections: Set<string>
}

export function serveHttp(serving: Serving): void {
  const { isModern, receive, connections } = serving
  listen('/mcp', async (request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    if (request.method === 'GET' && !isModern) return follow(response, serving)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = await readMessage(request)
    noteWhoHangsUp(message, response, serving)
    if (isModern && message.method === 'subscriptions/listen') return follow(response, serving, message)
    if (message.method === 'initialize') response.setHeader('mcp-session-id', openConnection(connections))
    else if (!isModern && !isKnown(request, connections)) {
      const status = request.headers['mcp-session-id'] === undefined ? 400 : 404
      return void response.writeHead(status).end('no such session')
    }
    if (!('id' in message)) response.statusCode = 202
    receive(message, replyTo(response))
  })
}

function replyTo(response: ServerResponse): Reply {
  return {
    messages(...messages) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(messages.map(asEvent).join(''))
    },
    async write(bytes) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' })
      if (!response.write(bytes)) await once(response, 'drain')
    },
    end: () => void response.end(),
    cut() {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{"jsonrpc"')
      setTimeout(() => response.destroy(), 50)
    },
    status: (code, body) => void response.writeHead(code).end(body),
  }
}

/** Before 2026-07-28 every open stream gets all notices. Since then the stream is the answer to a request. */
function follow(response: ServerResponse, { listeners }: Serving, request?: Partial<Request>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  const params = request && { _meta: { 'io.modelcontextprotocol/subscriptionId': request.id } }
  const tell = (notice: object) => response.write(asEvent({ ...notice, ...(params && { params }) }))
  listeners.add(tell)
  response.once('close', () => listeners.delete(tell))
  if (!params) return
  const acknowledged = { ...params, notifications: { toolsListChanged: true } }
  const method = 'notifications/subscriptions/acknowledged'
  response.write(asEvent({ jsonrpc: '2.0', method, params: acknowledged }))
}

/** Since 2026-07-28 closing the socket cancels a request. */
function noteWhoHangsUp({ params }: Partial<Request>, response: ServerResponse, { isModern, note }: Serving): void {
  response.once('close', () => {
    if (isModern && !response.writableEnded) note({ method: 'hung up', params: { name: params?.name } })
  })
}

function openConnection(connections: Set<string>): string {
  const id = randomUUID()
  connections.add(id)
  return id
}

function isKnown({ headers }: IncomingMessage, connections: ReadonlySet<string>): boolean {
  return connections.has(String(headers['mcp-session-id']))
}

export async function readMessage(request: IncomingMessage): Promise<Partial<Request>> {
  return JSON.parse(Buffer.concat(await request.toArray()).toString()) as Partial<Request>
}

export function listen(path: string, onRequest: (...exchange: Parameters<RequestListener>) => Promise<void>): void {
  const server = createServer((...exchange) => void onRequest(...exchange))
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  })
}

export function asEvent(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}
