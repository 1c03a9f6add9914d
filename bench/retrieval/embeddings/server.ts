/**
 * Serves the model as `POST /v1/embeddings`, as OpenAI's API does, on a free port that it prints. It keeps vectors in
 * the file it is given, so that a second run of the benchmark need not compute them again.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import { loadModel } from './model.ts'
import { modelName } from './model-files.ts'

const requestSchema = z.object({
  input: z.union([z.string(), z.array(z.string())]),
  encoding_format: z.enum(['float', 'base64']).default('float'),
})

const cache = new DatabaseSync(process.argv[2]!)
cache.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, vector BLOB)')
const find = cache.prepare('SELECT vector FROM vectors WHERE hash = ?')
const keep = cache.prepare('INSERT OR REPLACE INTO vectors (hash, vector) VALUES (?, ?)')
const model = await loadModel()
const counts = { computed: 0, cached: 0 }

const server = createServer((request, response) => {
  answer(request)
    .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
    .catch((error: unknown) => response.writeHead(500).end(String(error)))
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

async function answer(request: IncomingMessage): Promise<object> {
  if (request.url === '/counts') return counts
  const { input, encoding_format: format } = requestSchema.parse(await json(request))
  const vectors = await vectorsOf(typeof input === 'string' ? [input] : input)
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector, format) }))
  return { object: 'list', model: modelName, data, usage: { prompt_tokens: 0, total_tokens: 0 } }
}

async function vectorsOf(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const hashes = texts.map((text) => createHash('sha256').update(text).digest())
  const vectors = hashes.map(keptVector)
  const missing = [...texts.keys()].filter((index) => vectors[index] === undefined)
  const computed = await model.embed(missing.map((index) => texts[index]!))
  for (const [position, index] of missing.entries()) {
    const vector = computed[position]!
    vectors[index] = vector
    keep.run(hashes[index]!, new Uint8Array(vector.buffer))
  }
  counts.computed += missing.length
  counts.cached += texts.length - missing.length
  return vectors.map((vector) => vector!)
}

function keptVector(hash: Uint8Array): Float32Array | undefined {
  const bytes = find.get(hash)?.['vector'] as Uint8Array | undefined
  return bytes && new Float32Array(bytes.slice().buffer)
}

function encode(vector: Float32Array, format: 'float' | 'base64'): readonly number[] | string {
  return format === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64')
}
