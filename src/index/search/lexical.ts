/** Finds chunks by words: of code, or of a question in plain language. */
import type { DatabaseSync } from 'node:sqlite'
import type { Candidate } from './candidate.ts'
import { candidateColumns, toCandidate } from './candidate.ts'
import type { LexicalQuery } from './lexical-query.ts'
import type { PathFilter } from './scope.ts'
import { setScope } from './scope.ts'
import type { TellingChunks } from './telling-chunks.ts'
import { tellingChunks } from './telling-chunks.ts'

/** A name says more about a piece of code than a word in it: path, symbol, body. */
const weights = '3.0, 3.0, 1.0'
/** Enough that the ranking can choose among files, and few enough to look at each. */
const maxCandidates = 300
/** The best candidates are among this many chunks with the most telling words. */
const maxScored = 500

export function lexicalCandidates(
  database: DatabaseSync,
  { words, phrases }: LexicalQuery,
  filter: PathFilter | undefined,
): readonly Candidate[] {
  if (words.length === 0) return []
  const match = [...words, ...phrases].map(quoted).join(' OR ')
  const found = bestChunks(database, match, tellingChunks(database, words.map(quoted)), filter)
  const documents = documentScores(database, words.map(quoted).join(' OR '), found)
  const best = Math.max(...found.map(({ score }) => score))
  return found.map((candidate) => ({
    ...candidate,
    score: candidate.score / best,
    documentScore: documents.get(candidate.document) ?? 0,
  }))
}

function quoted(term: string): string {
  return `"${term}"`
}

function bestChunks(
  database: DatabaseSync,
  match: string,
  chunks: TellingChunks,
  filter: PathFilter | undefined,
): readonly Candidate[] {
  if (filter) setScope(database, filter)
  const tree = filter ? 'temp.scope' : 'file'
  // The "+" makes SQLite go through the matches once, and not look for each chunk on its own.
  const select = database.prepare(`
    with best as materialized (
      select rowid, -bm25(words, ${weights}) as score
      from words
      where words match ? and +rowid in (
        select chunk.id from json_each(?) join chunk on chunk.id = value join ${tree} as file using (document)
      )
      order by score desc limit ${maxCandidates}
    )
    select ${candidateColumns}, best.score
    from best
    join chunk on chunk.id = best.rowid
    join document on document.id = chunk.document
    join ${tree} as file on file.document = document.id
    order by best.score desc
  `)
  // Few of these chunks are in the tree if the search is limited, or if a refresh is adding documents just now.
  for (let count = maxScored; ; count *= 10) {
    const found = select.all(match, JSON.stringify(chunks.best(count)))
    if (found.length >= maxCandidates / 2 || count >= chunks.all) return found.map(toCandidate)
  }
}

/**
 * The score of each document, compared with the best one. A file can answer a question whose words are in several
 * chunks.
 */
function documentScores(
  database: DatabaseSync,
  match: string,
  chunks: readonly Candidate[],
): ReadonlyMap<number, number> {
  const documents = new Set(chunks.map(({ document }) => document))
  const found = database
    .prepare(
      `select rowid as document, -bm25(document_words, ${weights}) as score from document_words
      where document_words match ? and +rowid in (select value from json_each(?))`,
    )
    .all(match, JSON.stringify([...documents]))
  const best = Math.max(...found.map(({ score }) => Number(score)))
  return new Map(found.map(({ document, score }) => [Number(document), Number(score) / best]))
}
