/**
 * A scripted model: one loopback server that implements the APIs of all providers, so that real agents run without a
 * real model. `script.ts` lists the commands that a prompt can contain.
 *
 *   request → dialect → conversation → script → reply → dialect → stream
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { chatCompletions } from './chat-completions.ts'
import type { Conversation } from './conversation.ts'
import type { Body, Dialect, StreamEvent } from './dialect.ts'
import { gemini } from './gemini.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import { replyTo } from './script.ts'

export interface ScriptedModel extends AsyncDisposable {
  readonly origin: string
  /** The requests it received, without side requests. */
  readonly asked: readonly Conversation[]
}

const dialects: readonly Dialect[] = [responses, chatCompletions, messages, gemini]

export async function startScriptedModel(port = 0): Promise<ScriptedModel> {
  const asked: Conversation[] = []
  const stopping = new AbortController()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/\?.*$/, '')
    const dialect = dialects.find((candidate) => request.method === 'POST' && candidate.path.test(path))
    const text = decompressed(await readAll(request), request.headers['content-encoding'])
    if (!dialect) return sendJson(response, 200, answerOther(path))
    const body = JSON.parse(text) as Body
    const conversation = dialect.read(body)
    if (!conversation.schema) asked.push(conversation)
    const reply = replyTo(conversation)
    if (reply.is === 'failure') {
      return sendJson(response, reply.status, { error: { type: 'scripted', message: 'The script says to fail.' } })
    }
    if (!dialect.wantsStream(body, path)) {
      return sendJson(response, 200, reply.is === 'answer' ? dialect.whole(reply.parts) : {})
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders()
    for (const event of dialect.head()) response.write(frameOf(event))
    if (reply.is === 'stall') return
    await wait(reply.waitMs, undefined, { signal: stopping.signal })
    for (const event of dialect.rest(reply.parts)) response.write(frameOf(event))
    response.end()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    })
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Other requests that the programs make. */
function answerOther(path: string): object {
  if (path.endsWith('count_tokens')) return { input_tokens: 10 }
  if (path.endsWith(':countTokens')) return { totalTokens: 10 }
  return path.endsWith('/models') ? { object: 'list', data: [{ id: 'scripted', object: 'model' }], models: [] } : {}
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await request.toArray()) as Buffer[])
}

function decompressed(bytes: Buffer, encoding: string | undefined): string {
  switch (encoding) {
    case 'gzip':
      return gunzipSync(bytes).toString()
    case 'br':
      return brotliDecompressSync(bytes).toString()
    case 'zstd':
      return zstdDecompressSync(bytes).toString()
    default:
      return bytes.toString()
  }
}

function frameOf({ event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
