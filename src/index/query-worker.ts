/** The worker that answers questions about the indexes. It reads the last complete tree, also during a refresh. */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { HubError } from '../base/hub-error.ts'
import { answerEach } from '../base/worker-answers.ts'
import type { Embeddings } from './dense/embeddings.ts'
import { nearQuestion } from './dense/near-question.ts'
import { damaged, isDamage, openIndexToRead } from './index-file.ts'
import { lineStarts, linesBetween } from './text/lines.ts'
import type { Meta } from './meta.ts'
import { emptyMeta, readMeta } from './meta.ts'
import { compileGlob } from './text/path-glob.ts'
import { searchIndex } from './search/search.ts'
import type { FileLines, IndexHit, SearchRequest } from './source.ts'

export type Query = { readonly file: string } & (
  | { readonly wants: 'meta' }
  | { readonly wants: 'close' }
  | { readonly wants: 'hits'; readonly request: SearchRequest; readonly embeddings: Embeddings | undefined }
  | { readonly wants: 'lines'; readonly path: string; readonly start: number; readonly end: number }
  | { readonly wants: 'paths'; readonly glob: string | undefined; readonly limit: number }
)

export interface Found {
  readonly hits: readonly IndexHit[]
  /** Why the search used words only, though a server for vectors is configured. */
  readonly denseError?: string | undefined
}

export type QueryAnswer = Meta | Found | FileLines | readonly string[] | undefined

interface Open {
  readonly database: DatabaseSync
  /** A rebuilt index is another file at the same path. */
  readonly inode: number
}

/** Limited, because each open index has a cache. */
const maxOpen = 8
const opened = new Map<string, Open>()

answerEach(async (query: Query): Promise<QueryAnswer> => {
  if (query.wants === 'close') return close(query.file)
  try {
    return await answer(query)
  } catch (error) {
    if (!isDamage(error)) throw error
    close(query.file)
    throw new HubError('unavailable', damaged)
  }
})

async function answer(query: Exclude<Query, { wants: 'close' }>): Promise<QueryAnswer> {
  const database = databaseOf(query.file)
  switch (query.wants) {
    case 'meta':
      return database ? readMeta(database) : emptyMeta
    case 'hits':
      return database ? search(database, query) : { hits: [] }
    case 'lines':
      return database && linesOf(database, query)
    case 'paths':
      return database ? pathsOf(database, query) : []
  }
}

async function search(database: DatabaseSync, { file, request, embeddings }: Extract<Query, { wants: 'hits' }>) {
  if (!embeddings || request.mode !== 'lexical') return { hits: await searchIndex(database, request) }
  const { findNear, error } = await nearQuestion(file, request.query, embeddings)
  // While the vector was fetched, the index may have been closed and opened again.
  const current = databaseOf(file)
  return { hits: current ? await searchIndex(current, request, findNear) : [], denseError: error }
}

function databaseOf(file: string): DatabaseSync | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  const existing = opened.get(file)
  if (existing && existing.inode === stat?.ino) {
    // The map is ordered by the last use.
    opened.delete(file)
    opened.set(file, existing)
    return existing.database
  }
  close(file)
  const database = stat && openIndexToRead(file)
  if (!database) return undefined
  opened.set(file, { database, inode: stat.ino })
  if (opened.size > maxOpen) close(opened.keys().next().value!)
  return database
}

function close(file: string): undefined {
  opened.get(file)?.database.close()
  opened.delete(file)
}

function linesOf(database: DatabaseSync, query: { path: string; start: number; end: number }): FileLines | undefined {
  const { path } = query
  const text = database
    .prepare('select text from file join document on document.id = file.document where file.path = ?')
    .get(path)?.['text']
  if (typeof text !== 'string') return undefined
  const starts = lineStarts(text)
  const total = starts.length - 1
  const start = Math.min(Math.max(1, query.start), Math.max(1, total))
  const end = Math.min(Math.max(start, query.end), total)
  return { path, start_line: start, end_line: end, total_lines: total, text: linesBetween(text, starts, start, end) }
}

async function pathsOf(database: DatabaseSync, query: { glob: string | undefined; limit: number }) {
  const matches = query.glob === undefined ? () => true : await compileGlob(query.glob)
  const paths: string[] = []
  for (const row of database.prepare('select path from file where document is not null order by path').iterate()) {
    const path = String(row['path'])
    if (matches(path) && paths.push(path) >= query.limit) break
  }
  return paths
}
