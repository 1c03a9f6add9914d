/** An upstream over HTTP that knows its connections by id, and forgets them all when it dies. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { answerJson, type HttpUpstream, openStream, serveHttp, type Visit } from '../worlds/http-upstream.ts'

export interface MortalAddress {
  readonly url: string
  /** Drops all connections. The server that replaces it knows none of them. */
  dieAndComeBack(): Promise<void>
}

const told = z.object({ arguments: z.object({ text: z.string() }) })
const echo = { name: 'echo', description: 'Says what it was told.', inputSchema: { type: 'object' } }

export async function serveMortal(): Promise<MortalAddress> {
  let alive = await serveOne(0)
  const port = Number(new URL(alive.url).port)
  return {
    url: alive.url,
    async dieAndComeBack() {
      await alive.stop()
      alive = await serveOne(port)
    },
  }
}

function serveOne(port: number): Promise<HttpUpstream> {
  const connections = new Set<string>()
  return serveHttp(
    (visit) => {
      const { method, headers, message, response } = visit
      if (message?.method === 'initialize') return welcome(visit)
      if (message?.method === 'server/discover') return response.writeHead(400).end()
      if (!connections.has(String(headers['mcp-session-id']))) return response.writeHead(404).end()
      if (method === 'GET') return void openStream(visit)
      if (message?.id === undefined) return response.writeHead(202).end()
      return answerJson(visit, resultOf(visit))
    },
    { port },
  )

  function welcome(visit: Visit): void {
    const id = randomUUID()
    connections.add(id)
    const serverInfo = { name: 'mortal', version: '1.0.0' }
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
    answerJson(visit, result, { 'mcp-session-id': id })
  }
}

function resultOf({ message }: Visit): object {
  if (message?.method === 'tools/list') return { tools: [echo] }
  return { content: [{ type: 'text', text: told.parse(message?.params).arguments.text }] }
}
