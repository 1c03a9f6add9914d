/**
 * An upstream that does everything wrong, without an SDK that would forbid it.
 *
 *   node faulty-upstream.ts --stdio | --http [--handshake dies|hangs|babbles|refuses] [--journal <file>]
 *
 * The journal has one line for each message that reached it, over restarts. Over HTTP it says `listening on <url>`.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, closeSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { describe, faultTools, passingTool, type Reply, type Request, type State } from './fault-tools.ts'

const { values } = parseArgs({
  options: {
    stdio: { type: 'boolean', default: false },
    http: { type: 'boolean', default: false },
    handshake: { type: 'string', default: 'works' },
    journal: { type: 'string' },
  },
})
const transport = values.stdio ? 'stdio' : 'http'
const tools = faultTools.filter(({ only }) => only === undefined || only === transport)
const listeners = new Set<ServerResponse>()
const connections = new Set<string>()
const state: State = {
  unauthorized: false,
  forgotten: false,
  hasPassingTool: false,
  notify(method) {
    const notice = { jsonrpc: '2.0', method }
    if (values.stdio) process.stdout.write(asLine(notice))
    for (const listener of listeners) listener.write(asEvent(notice))
  },
  forget: () => connections.clear(),
}
if (values.stdio) serveLines()
else serveHttp()

function receive(message: Partial<Request>, reply: Reply): void {
  if (values.journal !== undefined) appendFileSync(values.journal, asLine(message))
  if (!isRequest(message)) return values.http ? reply.end() : undefined
  if (values.handshake !== 'works' && isHandshake(message)) return failHandshake(message, reply)
  const offered = state.hasPassingTool ? [...tools, passingTool] : tools
  switch (message.method) {
    case 'initialize':
      return answer(reply, message, {
        protocolVersion: message.params?.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'faulty-upstream', version: '1.0.0' },
      })
    case 'tools/list':
      return answer(reply, message, { tools: offered.map(describe) })
    case 'ping':
      return answer(reply, message, {})
    case 'tools/call': {
      const tool = offered.find(({ name }) => name === message.params?.name)
      if (tool) return void tool.run(reply, message, state)
      return refuse(reply, message, -32602, `Unknown tool: ${message.params?.name}`)
    }
    default:
      return refuse(reply, message, -32601, `Method not found: ${message.method}`)
  }
}

function failHandshake(request: Request, reply: Reply): void {
  switch (values.handshake) {
    case 'dies':
      console.error('faulty-upstream: I cannot live like this')
      return process.exit(3)
    case 'babbles':
      return void reply.write('Usage: faulty-upstream [options]\n').then(() => reply.end())
    case 'refuses':
      return refuse(reply, request, -32600, 'Not with you.')
    default:
      return // it hangs
  }
}

function serveLines(): void {
  let lastWriter = Promise.resolve()
  createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line) as Request, lineReply()))

  /** A line that comes slowly is still one line: whoever else has something to say waits for its end. */
  function lineReply(): Reply {
    let release: (() => void) | undefined
    async function take(): Promise<void> {
      if (release) return
      const earlier = lastWriter
      lastWriter = new Promise((resolve) => (release = resolve))
      await earlier
    }
    const say = (text: string) => void take().then(() => process.stdout.write(text, release))
    return {
      messages: (...messages) => say(messages.map(asLine).join('')),
      async write(bytes) {
        await take()
        await writeAll(process.stdout, bytes)
      },
      end: () => say('\n'),
      cut: () => closeSync(1),
      status() {},
    }
  }
}

function serveHttp(): void {
  const server = createServer((request, response) => {
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    if (request.method === 'GET') return listen(response)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    void request.toArray().then((chunks) => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as Partial<Request>
      const id = request.headers['mcp-session-id']
      if (message.method === 'initialize') response.setHeader('mcp-session-id', openConnection())
      else if (!isKnown(request)) return void response.writeHead(id === undefined ? 400 : 404).end('no such session')
      if (!('id' in message)) response.statusCode = 202
      receive(message, replyTo(response))
    })
  })
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  })
}

function replyTo(response: ServerResponse): Reply {
  return {
    messages(...messages) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(messages.map(asEvent).join(''))
    },
    async write(bytes) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' })
      await writeAll(response, bytes)
    },
    end: () => void response.end(),
    cut() {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 }).write('{"jsonrpc"')
      setTimeout(() => response.destroy(), 50)
    },
    status: (code, body) => void response.writeHead(code).end(body),
  }
}

function listen(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  listeners.add(response)
  response.once('close', () => listeners.delete(response))
}

function openConnection(): string {
  const id = randomUUID()
  connections.add(id)
  return id
}

function isKnown({ headers }: IncomingMessage): boolean {
  return connections.has(String(headers['mcp-session-id']))
}

function answer(reply: Reply, { id }: Request, result: object): void {
  reply.messages({ jsonrpc: '2.0', id, result })
}

function refuse(reply: Reply, { id }: Request, code: number, message: string): void {
  reply.messages({ jsonrpc: '2.0', id, error: { code, message } })
}

function isHandshake({ method }: Request): boolean {
  return method === 'initialize' || method === 'server/discover'
}

function isRequest(message: Partial<Request>): message is Request {
  return message.id !== undefined && message.method !== undefined
}

async function writeAll(stream: NodeJS.WritableStream, bytes: string): Promise<void> {
  if (!stream.write(bytes)) await once(stream, 'drain')
}

function asLine(message: object): string {
  return `${JSON.stringify(message)}\n`
}

function asEvent(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}
