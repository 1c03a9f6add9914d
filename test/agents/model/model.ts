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
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { chatCompletions } from './chat-completions.ts'
import type { Conversation } from './conversation.ts'
import { fingerprintOf, isSideRequest } from './conversation.ts'
import { createStalls, streamText, wholeText, writeReply } from './delivery.ts'
import type { Body, Dialect, StreamEvent } from './dialect.ts'
import { usage } from './dialect.ts'
import { gemini } from './gemini.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import { replyTo } from './script.ts'
import type { SentConversation } from './sent.ts'
import { createSentRecord } from './sent.ts'

export interface ScriptedModel extends AsyncDisposable {
  readonly origin: string
  /** The requests it received, without side requests. */
  readonly asked: readonly Conversation[]
  /** The replies that it sent completely, without those to side requests. */
  sent(): readonly SentConversation[]
  /** The number of replies that stall now. */
  readonly stalled: number
  /** Continues them. */
  release(): void
}

const dialects: readonly Dialect[] = [responses, chatCompletions, messages, gemini]

export interface ScriptedModelOptions {
  readonly port?: number
  /** The scripts behind prompts that do not look like one, for the guides. */
  readonly scripts?: Readonly<Record<string, string>>
}

export async function startScriptedModel({
  port = 0,
  scripts = {},
}: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const asked: Conversation[] = []
  const sent = createSentRecord()
  /** How often each request came, by fingerprint. */
  const tries = new Map<string, number>()
  const stalls = createStalls()
  const stopping = new AbortController()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/\?.*$/, '')
    const dialect = dialects.find((candidate) => request.method === 'POST' && candidate.path.test(path))
    const text = decompressed(await readAll(request), request.headers['content-encoding'])
    if (!dialect) return sendJson(response, 200, answerOther(path))
    const body = JSON.parse(text) as Body
    const read = dialect.read(body)
    const conversation = { ...read, prompt: scripts[read.prompt.trim()] ?? read.prompt }
    const isSide = isSideRequest(conversation)
    if (!isSide) asked.push(conversation)
    const reply = replyTo(conversation, isSide ? 0 : countTry(conversation))
    if (reply.is === 'failure') {
      // Providers tell a client that asks too often when to come back.
      if (reply.status === 429) response.setHeader('retry-after', '1')
      return sendJson(response, reply.status, dialect.failure(reply.status, failureText(reply.status)))
    }
    if (reply.is === 'full') return sendFull(response, dialect)
    const isStream = dialect.wantsStream(body, path)
    const answerText = isStream ? streamText(dialect.stream(reply.parts)) : wholeText(dialect.whole(reply.parts))
    const isComplete = await writeReply(response, { reply, text: answerText, stalls, stopping: stopping.signal })
    if (!isComplete) return
    // Before the end, so that a test finds the reply as soon as its agent has it.
    if (!isSide) sent.add(conversation, reply.parts)
    response.end()
  }

  function countTry(conversation: Conversation): number {
    const fingerprint = fingerprintOf(conversation)
    const before = tries.get(fingerprint) ?? 0
    tries.set(fingerprint, before + 1)
    return before
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
    sent: () => sent.list(),
    get stalled() {
      return stalls.count
    },
    release: () => stalls.release(),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function failureText(status: number): string {
  return `${status === 429 ? 'Rate limit reached. ' : ''}The script says to fail.`
}

/** Other requests that the programs make. */
function answerOther(path: string): object {
  if (path.endsWith('count_tokens')) return { input_tokens: usage.input }
  if (path.endsWith(':countTokens')) return { totalTokens: usage.input }
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

function sendFull(response: ServerResponse, { full }: Dialect): void {
  if (!Array.isArray(full)) return sendJson(response, 400, full)
  const { type, head } = streamText({ head: full as readonly StreamEvent[], steps: [], tail: [] })
  response.writeHead(200, { 'content-type': type }).end(head)
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
