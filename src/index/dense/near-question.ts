/** Looks for chunks near to a question. A server that is down costs one search its time limit, and no more for a while. */
import type { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../../base/hub-error.ts'
import type { Embeddings } from './embeddings.ts'
import { embed } from './embeddings.ts'
import type { Near, Vectors } from './nearest.ts'
import { nearestTo, readVectors, stampOfVectors } from './nearest.ts'

/** A search is interactive. */
const timeoutMs = 3_000
const restMs = 30_000
/** As many as the search by words passes to the ranking. */
const maxNear = 300

let restUntil = 0
let lastError: string | undefined
/** Of the last repository. They take more memory than all else in the worker. */
let loaded: { readonly file: string; readonly vectors: Vectors } | undefined

export async function nearQuestion(
  file: string,
  question: string,
  embeddings: Embeddings,
): Promise<{ findNear?: (database: DatabaseSync) => readonly Near[]; error?: string | undefined }> {
  if (performance.now() < restUntil) return { error: lastError }
  try {
    const [vector] = await embed(embeddings, [question], { timeoutMs })
    return { findNear: (database) => nearestTo(vectorsOf(file, database), vector!, maxNear) }
  } catch (error) {
    lastError = messageOf(error)
    restUntil = performance.now() + restMs
    return { error: lastError }
  }
}

function vectorsOf(file: string, database: DatabaseSync): Vectors {
  const stamp = stampOfVectors(database)
  if (loaded?.file !== file || loaded.vectors.stamp !== stamp) {
    // The old ones go first: both together may be too much.
    loaded = undefined
    loaded = { file, vectors: readVectors(database, stamp) }
  }
  return loaded.vectors
}
