/** Finds chunks by words: of code, or of a question in plain language. */
import type { DatabaseSync } from 'node:sqlite'
import type { Candidate } from './candidate.ts'
import { candidateColumns, toCandidate } from './candidate.ts'
import type { LexicalQuery } from './lexical-query.ts'
import type { PathFilter } from './scope.ts'
import { setScope } from './scope.ts'

/** A name says more about a piece of code than a word in it: path, symbol, body. */
const weights = 'bm25(3.0, 3.0, 1.0)'
/** Enough that the ranking can choose among files, and few enough to look at each. */
const maxCandidates = 300

export function lexicalCandidates(
  database: DatabaseSync,
  { words, phrases }: LexicalQuery,
  filter: PathFilter | undefined,
): readonly Candidate[] {
  if (words.length === 0) return []
  const match = [...words, ...phrases].map((word) => `"${word}"`).join(' OR ')
  const found = filter ? bestInScope(database, match, filter) : bestInTree(database, match)
  const documents = documentScores(database, match, filter !== undefined)
  const best = Math.max(...found.map(({ score }) => score))
  return found.map((candidate) => ({
    ...candidate,
    score: candidate.score / best,
    documentScore: documents.get(candidate.document) ?? 0,
  }))
}

/** The best documents, compared with the very best. A file can answer a question whose words are in several chunks. */
function documentScores(database: DatabaseSync, match: string, isScoped: boolean): ReadonlyMap<number, number> {
  const scope = isScoped ? 'and rowid in (select document from temp.scope)' : ''
  const found = database
    .prepare(
      `select rowid as document, -rank as score from document_words
      where document_words match ? and rank match '${weights}' ${scope} order by rank limit ?`,
    )
    .all(match, maxCandidates)
  const best = Number(found[0]?.['score'])
  return new Map(found.map(({ document, score }) => [Number(document), Number(score) / best]))
}

/** The limit comes before the join, because looking up each of many thousand rows takes longer than finding them. */
function bestInTree(database: DatabaseSync, match: string): readonly Candidate[] {
  const select = database.prepare(`
    with best as materialized (
      select rowid, rank from words where words match ? and rank match '${weights}' order by rank limit ?
    )
    select ${candidateColumns}, -best.rank as score
    from best
    join chunk on chunk.id = best.rowid
    join document on document.id = chunk.document
    join file on file.document = document.id
    order by best.rank
  `)
  // The best rows are all in the tree, unless a refresh is adding documents just now.
  for (let limit = maxCandidates; ; limit *= 10) {
    const found = select.all(match, limit)
    if (found.length >= maxCandidates / 2 || limit > maxRows) return found.slice(0, maxCandidates).map(toCandidate)
    const matching = database.prepare('select count(*) as count from (select 1 from words where words match ? limit ?)')
    if (Number(matching.get(match, limit)?.['count']) < limit) return found.map(toCandidate)
  }
}

/** More rows than this are not looked at, however few of them are in the tree. */
const maxRows = 1_000_000

function bestInScope(database: DatabaseSync, match: string, filter: PathFilter): readonly Candidate[] {
  setScope(database, filter)
  return database
    .prepare(
      `select ${candidateColumns}, -words.rank as score
      from words
      join chunk on chunk.id = words.rowid
      join document on document.id = chunk.document
      join temp.scope as file on file.document = document.id
      where words match ? and words.rank match '${weights}'
      order by words.rank limit ?`,
    )
    .all(match, maxCandidates)
    .map(toCandidate)
}
