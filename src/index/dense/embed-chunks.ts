/** Gives each chunk of the tree a vector. Chunks whose text has one already are skipped. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { lineStarts, linesBetween } from '../text/lines.ts'
import type { Embeddings } from './embeddings.ts'
import { embed } from './embeddings.ts'

/** The texts of one request. Servers limit the number, and a small server takes about a second for this many. */
const batchSize = 32
/** A server that has to load its model first takes this long. */
const timeoutMs = 60_000
/** With more vectors, comparing with all of them takes too long, and they take too much memory. */
const maxVectors = 200_000

/** Other repositories get their turn after this. */
const turnMs = 5_000

export interface Embedded {
  readonly done: number
  readonly total: number
}

/** Works for a few seconds. It is finished when `done` is `total`. */
export async function embedChunks(
  database: DatabaseSync,
  embeddings: Embeddings,
  signal: AbortSignal,
): Promise<Embedded> {
  forgetOtherModels(database, embeddings.model)
  const missing = missingChunks(database)
  const total = Math.min(countOf(database, 'vector') + missing.length, maxVectors)
  const textOf = database.prepare(`
    select chunk.hash, document.path, chunk.symbol, document.text, chunk.start_line, chunk.end_line
    from chunk join document on document.id = chunk.document where chunk.id = ?`)
  const add = database.prepare('insert or replace into vector values (?, ?)')
  const endAt = performance.now() + turnMs
  for (let from = 0; from < missing.length && performance.now() < endAt; from += batchSize) {
    if (countOf(database, 'vector') >= maxVectors) break
    const rows = missing.slice(from, from + batchSize).map((id) => textOf.get(id)!)
    const vectors = await embed(embeddings, rows.map(textToEmbed), { timeoutMs, signal })
    database.exec('begin immediate')
    for (const [index, row] of rows.entries()) add.run(row['hash']!, bytesOf(vectors[index]!))
    database.exec(`insert or replace into meta values ('vectors', hex(randomblob(8))); commit`)
  }
  const done = countOf(database, 'vector')
  if (missing.length > 0 && done >= total)
    database.exec('delete from vector where hash not in (select hash from chunk)')
  return { done: Math.min(done, total), total }
}

function missingChunks(database: DatabaseSync): readonly number[] {
  return database
    .prepare(
      `select min(chunk.id) as id
      from file join document on document.id = file.document join chunk on chunk.document = document.id
      where not document.is_generated and chunk.hash not in (select hash from vector) group by chunk.hash`,
    )
    .all()
    .map(({ id }) => Number(id))
}

function countOf(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count'])
}

function textToEmbed(row: Record<string, SQLOutputValue>): string {
  const text = String(row['text'])
  const lines = linesBetween(text, lineStarts(text), Number(row['start_line']), Number(row['end_line']))
  return `${String(row['path'])} ${row['symbol'] === null ? '' : String(row['symbol'])}\n${lines}`
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Vectors of two models cannot be compared. */
function forgetOtherModels(database: DatabaseSync, model: string): void {
  const known = database.prepare(`select value from meta where key = 'model'`).get()?.['value']
  if (known === model) return
  database.exec('begin immediate; delete from vector')
  database.prepare(`insert or replace into meta values ('model', ?)`).run(model)
  database.exec('commit')
}
