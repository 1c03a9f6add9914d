/** Joins the results of the search by words with those of the search by vectors. */
import type { DatabaseSync } from 'node:sqlite'
import type { Near } from '../dense/nearest.ts'
import type { Candidate } from './candidate.ts'
import { candidateColumns, toCandidate } from './candidate.ts'
import type { PathFilter } from './scope.ts'

/** The share of the vectors. It was measured on questions about four public repositories. */
const denseShare = 0.4

export function fuse(
  database: DatabaseSync,
  lexical: readonly Candidate[],
  near: readonly Near[],
  filter: PathFilter | undefined,
): readonly Candidate[] {
  const byChunk = new Map(lexical.map((candidate) => [candidate.chunk, { ...candidate, score: 0 }]))
  const documentScores = new Map(lexical.map(({ document, documentScore }) => [document, documentScore]))
  const find = database.prepare(`
    select ${candidateColumns}, 0 as score
    from chunk join document on document.id = chunk.document join file on file.document = document.id
    where chunk.id = ?`)
  for (const { chunk } of near) {
    if (byChunk.has(chunk)) continue
    const row = find.get(chunk)
    const candidate = row && toCandidate(row)
    if (candidate && (!filter || filter(candidate.path))) {
      byChunk.set(chunk, { ...candidate, documentScore: documentScores.get(candidate.document) ?? 0 })
    }
  }
  const words = normalised(lexical.map(({ chunk, score }) => [chunk, score]))
  const vectors = normalised(near.map(({ chunk, likeness }) => [chunk, likeness]))
  return [...byChunk.values()].map((candidate) => {
    const [byWords, byVector] = [words.get(candidate.chunk) ?? 0, vectors.get(candidate.chunk) ?? 0]
    return { ...candidate, score: (1 - denseShare) * byWords + denseShare * byVector }
  })
}

/** From 0 for the worst to 1 for the best, because the two kinds of scores have nothing in common. */
function normalised(scores: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  const values = scores.map(([, score]) => score)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return new Map(scores.map(([chunk, score]) => [chunk, most > least ? (score - least) / (most - least) : 1]))
}
