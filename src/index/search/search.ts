/** Answers a search of any mode. */
import type { DatabaseSync } from 'node:sqlite'
import type { Near } from '../dense/nearest.ts'
import { compileGlob } from '../text/path-glob.ts'
import { lineCount, lineStarts, linesBetween } from '../text/lines.ts'
import { fuse } from './fusion.ts'
import { toLexicalQuery } from './lexical-query.ts'
import { lexicalCandidates } from './lexical.ts'
import type { Place } from './place.ts'
import { rank } from './ranking.ts'
import { compileRegex, findMatches } from './regex.ts'
import type { IndexHit, SearchRequest } from './request.ts'
import type { PathFilter } from './scope.ts'
import { findSymbols } from './symbols.ts'

/** A large class is shown by its beginning. */
const maxLines = 80
/** Lines can be long. A reader asks for more with `read`. */
const maxCharacters = 8_000

/** Finds the chunks that are near to the question in meaning. */
export type FindNear = (database: DatabaseSync) => readonly Near[]

export async function searchIndex(
  database: DatabaseSync,
  request: SearchRequest,
  findNear?: FindNear,
): Promise<readonly IndexHit[]> {
  const filter = request.path === undefined ? undefined : await compileGlob(request.path)
  const find = await finderOf(request, findNear)
  // One transaction, so that all statements see the same tree.
  database.exec('begin')
  try {
    return find(database, filter).map((place) => hitOf(database, place))
  } finally {
    database.exec('rollback')
  }
}

type Finder = (database: DatabaseSync, filter: PathFilter | undefined) => readonly Place[]

async function finderOf({ mode, query, limit }: SearchRequest, findNear?: FindNear): Promise<Finder> {
  switch (mode) {
    case 'lexical': {
      const asked = toLexicalQuery(query)
      return (database, filter) => {
        const found = lexicalCandidates(database, asked, filter)
        const near = findNear?.(database) ?? []
        return rank(near.length > 0 ? fuse(database, found, near, filter) : found, asked, limit)
      }
    }
    case 'symbol':
      return (database, filter) => findSymbols(database, query, limit, filter)
    case 'regex': {
      const regex = await compileRegex(query)
      return (database, filter) => findMatches(database, regex, limit, filter)
    }
  }
}

function hitOf(database: DatabaseSync, { document, path, startLine, endLine, symbol, kind, score }: Place): IndexHit {
  const text = String(database.prepare('select text from document where id = ?').get(document)?.['text'])
  const starts = lineStarts(text)
  const end = Math.min(endLine, startLine + maxLines - 1, lineCount(starts))
  return {
    path,
    start_line: startLine,
    end_line: end,
    ...(symbol !== undefined && { symbol }),
    ...(kind !== undefined && { kind }),
    score: Math.round(score * 1_000) / 1_000,
    text: linesBetween(text, starts, startLine, end).slice(0, maxCharacters),
  }
}
