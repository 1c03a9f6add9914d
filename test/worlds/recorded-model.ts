/** A scripted model that keeps the requests, so that a test sees what an agent told its provider. */
import { once } from 'node:events'
import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { ScriptedModel } from '../agents/model/model.ts'
import { startScriptedModel } from '../agents/model/model.ts'

export interface RecordedModel extends AsyncDisposable {
  readonly origin: string
  readonly model: ScriptedModel
  readonly requests: readonly ModelRequest[]
}

export interface ModelRequest {
  readonly provider: 'openai' | 'openai-chat' | 'anthropic' | 'google'
  /** The messages, as the provider gets them. */
  readonly messages: readonly unknown[]
}

export async function startRecordedModel(): Promise<RecordedModel> {
  const model = await startScriptedModel()
  const requests: ModelRequest[] = []
  const server = createServer((incoming, response) => {
    void incoming.toArray().then((chunks: Buffer[]) => {
      const body = Buffer.concat(chunks)
      const read = requestIn(incoming.url ?? '', decompressed(body, incoming.headers['content-encoding']))
      if (read) requests.push(read)
      const { method, headers } = incoming
      const onward = ask(new URL(incoming.url ?? '/', model.origin), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      onward.end(body)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    model,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await model[Symbol.asyncDispose]()
    },
  }
}

function requestIn(path: string, text: string): ModelRequest | undefined {
  const { input, messages, contents, tools } = parse(text)
  // An agent always offers tools. Other requests are for titles and the like.
  if (tools === undefined) return undefined
  if (/\/responses/.test(path)) return { provider: 'openai', messages: input ?? [] }
  if (/\/chat\/completions/.test(path)) return { provider: 'openai-chat', messages: messages ?? [] }
  if (/\/messages(\?|$)/.test(path)) return { provider: 'anthropic', messages: messages ?? [] }
  return /[gG]enerateContent/.test(path) ? { provider: 'google', messages: contents ?? [] } : undefined
}

function parse(text: string): Partial<Record<'input' | 'messages' | 'contents' | 'tools', readonly unknown[]>> {
  try {
    return JSON.parse(text) as object
  } catch {
    return {}
  }
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
