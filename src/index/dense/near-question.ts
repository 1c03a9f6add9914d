/**
 * Looks for chunks near to a question. If the server is down, one search waits for the time limit, and the next ones
 * skip the server for a while.
 */
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
/** The vectors of the last repository. They take more memory than everything else in the worker. */
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
    // Drops the old vectors first, because both together may take too much memory.
    loaded = undefined
    loaded = { file, vectors: readVectors(database, stamp) }
  }
  return loaded.vectors
}
