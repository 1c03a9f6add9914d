/**
 * An upstream that does everything wrong, without an SDK that would prevent it.
 *
 * node faulty-upstream.ts --kind stdio|http|modern|sse [--handshake dies|hangs|babbles|refuses] [--journal <file>]
 *
 * `modern` is HTTP of 2026-07-28; the others are earlier revisions. The journal has one line for each message that
 * reached it, across restarts. All but stdio print `listening on <url>`.
 */
import { once } from 'node:events'
import { appendFileSync, closeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { describe, faultTools, isKind, passingTool, type Reply, type Request, type State } from './fault-tools.ts'
import { type Serving, serveHttp } from './faulty-http.ts'
import { serveSse } from './faulty-sse.ts'

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    handshake: { type: 'string', default: 'works' },
    journal: { type: 'string' },
  },
})
const { kind } = values
if (!isKind(kind)) throw new Error(`There is no --kind ${kind}.`)
const tools = faultTools.filter(({ only }) => only === undefined || only.includes(kind))
const serving: Serving = { isModern: kind === 'modern', receive, note, listeners: new Set(), connections: new Set() }
const state: State = {
  unauthorized: false,
  forgotten: false,
  hasPassingTool: false,
  notify(method) {
    for (const listener of serving.listeners) listener({ jsonrpc: '2.0', method })
  },
  forget: () => serving.connections.clear(),
}
if (kind === 'stdio') serveLines()
else if (kind === 'sse') serveSse(serving)
else serveHttp(serving)

function note(message: object): void {
  if (values.journal !== undefined) appendFileSync(values.journal, asLine(message))
}

function receive(message: Partial<Request>, reply: Reply): void {
  note(message)
  if (!isRequest(message)) return kind === 'stdio' ? undefined : reply.end()
  if (values.handshake !== 'works' && isHandshake(message)) return failHandshake(message, reply)
  const offered = state.hasPassingTool ? [...tools, passingTool] : tools
  const known = {
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'faulty-upstream', version: '1' },
  }
  // Legacy clients ignore the fields that only 2026-07-28 requires.
  const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  switch (message.method) {
    case 'initialize':
      if (serving.isModern) break
      return answer(reply, message, { protocolVersion: message.params?.protocolVersion, ...known })
    case 'server/discover':
      if (!serving.isModern) break
      return answer(reply, message, { supportedVersions: ['2026-07-28'], ...known, ...cached })
    case 'tools/list':
      return answer(reply, message, { tools: offered.map(describe), ...cached })
    case 'ping':
      return answer(reply, message, {})
    case 'tools/call': {
      const tool = offered.find(({ name }) => name === message.params?.name)
      if (tool) return void tool.run(reply, message, state)
      return refuse(reply, message, -32602, `Unknown tool: ${message.params?.name}`)
    }
  }
  refuse(reply, message, -32601, `Method not found: ${message.method}`)
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
  serving.listeners.add((notice) => process.stdout.write(asLine(notice)))
  createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line) as Request, lineReply()))

  /** A slow line is still one line: other messages wait for its end. */
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
        if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
      },
      end: () => say('\n'),
      cut: () => closeSync(1),
      status() {},
    }
  }
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

function asLine(message: object): string {
  return `${JSON.stringify(message)}\n`
}
