/** Finds the chunks whose vectors are nearest to that of a question, by comparing it with all of them. */
import type { DatabaseSync } from 'node:sqlite'

export interface Vectors {
  /** Changes with the vectors and with the tree. */
  readonly stamp: string
  readonly size: number
  readonly chunks: Float64Array
  readonly values: Float32Array
}

export interface Near {
  readonly chunk: number
  /** The cosine of the angle between the two. */
  readonly likeness: number
}

export function stampOfVectors(database: DatabaseSync): string {
  return database
    .prepare(`select value from meta where key in ('tree', 'vectors', 'model') order by key`)
    .all()
    .map(({ value }) => String(value))
    .join(' ')
}

export function readVectors(database: DatabaseSync, stamp: string): Vectors {
  const rows = `from file join chunk on chunk.document = file.document join vector on vector.hash = chunk.hash`
  const first = database.prepare(`select count(*) as count, max(length(vector)) as bytes ${rows}`).get()!
  const size = Number(first['bytes'] ?? 0) / 4
  const chunks = new Float64Array(Number(first['count']))
  const values = new Float32Array(chunks.length * size)
  let index = 0
  for (const { id, vector } of database.prepare(`select chunk.id, vector ${rows}`).iterate()) {
    const bytes = vector as Uint8Array
    if (bytes.length !== size * 4) continue
    chunks[index] = Number(id)
    // A copy, because a blob may begin anywhere and numbers only at multiples of four.
    values.set(new Float32Array(bytes.slice().buffer), index++ * size)
  }
  return { stamp, size, chunks: chunks.subarray(0, index), values }
}

export function nearestTo({ size, chunks, values }: Vectors, question: Float32Array, limit: number): readonly Near[] {
  if (question.length !== size) return []
  const all: Near[] = []
  let least = -1
  for (let row = 0; row < chunks.length; row++) {
    let likeness = 0
    for (let at = 0, from = row * size; at < size; at++) likeness += question[at]! * values[from + at]!
    if (likeness > least) all.push({ chunk: chunks[row]!, likeness })
    // Now and then only the best are kept, so that few are sorted.
    if (all.length >= limit * 4) {
      all.sort((a, b) => b.likeness - a.likeness).length = limit
      least = all.at(-1)!.likeness
    }
  }
  return all.sort((a, b) => b.likeness - a.likeness).slice(0, limit)
}
