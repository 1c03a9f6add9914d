/** Brings the index of one repository up to date. Runs in the indexing worker. */
import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import { splitFile } from './chunks/chunks.ts'
import { linesBetween } from './text/lines.ts'
import { writeMeta } from './meta.ts'
import type { FileText } from './files/read-file.ts'
import { indexText } from './text/tokens.ts'
import { hasChanged, mustRead } from './files/stamp.ts'
import type { Tree, TreeFile } from './files/tree.ts'
import { isUnread } from './files/unread-parts.ts'

/** A transaction ends after this many files or characters, so that little is lost when the hub is killed. */
const filesPerTransaction = 200
const charactersPerTransaction = 4_000_000

export interface RefreshRun {
  readonly database: DatabaseSync
  readonly tree: Tree
  readonly signal: AbortSignal
  onProgress(progress: { readonly done: number; readonly total: number }): void
}

export async function refreshIndex(run: RefreshRun): Promise<void> {
  const { database, tree, signal } = run
  const { changed, gone } = await compareWithTree(run, mustRead)
  const writer = createWriter(database)
  let done = 0
  run.onProgress({ done, total: changed.length })
  for await (const { file, stamp, content } of tree.read(changed)) {
    signal.throwIfAborted()
    await writer.add(file, stamp, content)
    done++
    if (writer.isFull()) {
      writer.commit()
      run.onProgress({ done, total: changed.length })
      await setImmediate()
    }
  }
  writer.commit()
  signal.throwIfAborted()
  publish(database, tree, gone)
  await removeUnused(database, signal)
  run.onProgress({ done, total: changed.length })
}

/** How many files of the tree differ from the index, without reading them. */
export async function countChanges(run: Pick<RefreshRun, 'database' | 'tree' | 'signal'>): Promise<number> {
  const { changed, gone } = await compareWithTree(run, hasChanged)
  const isPublished = run.database.prepare('select 1 from file where path = ?')
  return changed.length + gone.filter((path) => isPublished.get(path)).length
}

interface Comparison {
  /** Files that neither the index nor an unfinished refresh has. */
  readonly changed: readonly TreeFile[]
  /** Paths that the index or an unfinished refresh has, and the tree has not. */
  readonly gone: readonly string[]
}

async function compareWithTree(
  { database, tree, signal }: Pick<RefreshRun, 'database' | 'tree' | 'signal'>,
  differs: (known: string | undefined, stamp: string) => boolean,
): Promise<Comparison> {
  // One statement for all files, because a statement for each file takes longer than looking at the file.
  const stamps = new Map<string, string>()
  for (const table of ['file', 'pending']) {
    for (const { path, stamp } of database.prepare(`select path, stamp from ${table}`).iterate()) {
      stamps.set(String(path), String(stamp))
    }
  }
  const changed: TreeFile[] = []
  let count = 0
  for await (const file of tree.files()) {
    signal.throwIfAborted()
    if (++count > maxFiles) throw tooManyFiles()
    if (differs(stamps.get(file.path), file.stamp)) changed.push(file)
    stamps.delete(file.path)
  }
  // Of a part that could not be read, the hub does not know that a file is gone.
  return { changed, gone: [...stamps.keys()].filter((path) => !isUnread(tree.unread, path)) }
}

/** The names and stamps of the files are in memory for a while: about 100 MB for this many. */
const maxFiles = 200_000

function tooManyFiles(): HubError {
  const advice = 'Add folders to .gitignore, or add a folder below it as a repository of its own.'
  return new HubError('too-large', `The repository has more than ${maxFiles} files. ${advice}`)
}

interface Writer {
  add(file: TreeFile, stamp: string, content: FileText): Promise<void>
  isFull(): boolean
  commit(): void
}

function createWriter(database: DatabaseSync): Writer {
  const findDocument = database.prepare('select id from document where key = ?')
  const addDocument = database.prepare(
    'insert into document (key, path, lines, chunks, is_generated, text) values (?, ?, ?, ?, ?, ?)',
  )
  const addChunk = database.prepare(
    'insert into chunk (document, start_line, end_line, symbol, kind, hash) values (?, ?, ?, ?, ?, ?)',
  )
  const addDefinition = database.prepare('insert into definition values (?, ?, ?, ?, ?, ?)')
  const addWords = database.prepare('insert into words (rowid, path, symbol, body) values (?, ?, ?, ?)')
  const addDocumentWords = database.prepare(
    'insert into document_words (rowid, path, symbol, body) values (?, ?, ?, ?)',
  )
  const addPending = database.prepare('insert or replace into pending values (?, ?, ?, ?, ?)')
  let waiting: (() => void)[] = []
  let characters = 0

  return {
    async add({ path, bytes }, stamp, content) {
      if ('skipped' in content) {
        waiting.push(() => addPending.run(path, stamp, bytes, null, content.skipped))
        return
      }
      const { text } = content
      const key = hash('sha256', `${path}\0${text}`, 'buffer').subarray(0, 16)
      const existing = findDocument.get(key)?.['id']
      if (existing !== undefined) {
        waiting.push(() => addPending.run(path, stamp, bytes, existing, null))
        return
      }
      const { starts, chunks, definitions, isGenerated } = await splitFile(path, text)
      const pathWords = indexText(path)
      characters += text.length
      waiting.push(() => {
        const lines = starts.length - 1
        const generated = isGenerated ? 1 : 0
        const { lastInsertRowid: document } = addDocument.run(key, path, lines, chunks.length, generated, text)
        let allSymbols = ''
        let allWords = ''
        for (const { startLine, endLine, definition, defines } of chunks) {
          const symbol = definition?.symbol ?? null
          const body = linesBetween(text, starts, startLine, endLine).slice(0, maxChunkCharacters)
          const chunkHash = hash('sha256', `${path}\0${symbol}\0${body}`, 'buffer').subarray(0, 16)
          const added = addChunk.run(document, startLine, endLine, symbol, definition?.kind ?? null, chunkHash)
          const symbols = [...new Set([definition?.symbol, ...defines.map((each) => each.symbol)])].join(' ')
          const [symbolWords, words] = [indexText(symbols), indexText(body)]
          addWords.run(added.lastInsertRowid, pathWords, symbolWords, words)
          allSymbols += symbolWords
          allWords += words
        }
        addDocumentWords.run(document, pathWords, allSymbols, allWords)
        for (const { name, symbol, kind, startLine, endLine } of definitions) {
          addDefinition.run(document, name, symbol, kind, startLine, endLine)
        }
        addPending.run(path, stamp, bytes, document, null)
      })
    },
    isFull: () => waiting.length >= filesPerTransaction || characters >= charactersPerTransaction,
    commit() {
      inTransaction(database, () => {
        for (const write of waiting) write()
      })
      waiting = []
      characters = 0
    },
  }
}

/** Longer chunks are searched by their beginning only. Their lines are longer than those of code. */
const maxChunkCharacters = 20_000

/** Replaces the tree that readers see. */
function publish(database: DatabaseSync, tree: Tree, gone: readonly string[]): void {
  inTransaction(database, () => {
    const removals = ['file', 'pending'].map((table) => database.prepare(`delete from ${table} where path = ?`))
    for (const path of gone) for (const removal of removals) removal.run(path)
    database.exec('insert or replace into file select * from pending; delete from pending')
    const count = (sql: string) => Number(Object.values(database.prepare(sql).get()!)[0])
    writeMeta(database, {
      ...(tree.unread.length > 0 && { unread: [...tree.unread] }),
      commit: tree.commit,
      branch: tree.branch,
      files: count('select count(document) from file'),
      skipped: count('select count(skipped) from file'),
      bytes: count('select coalesce(sum(bytes), 0) from file where document is not null'),
      chunks: count('select coalesce(sum(chunks), 0) from file join document on document.id = file.document'),
      indexed_at: new Date().toISOString(),
    })
  })
}

/** In small transactions, because it can be as much as was ever indexed. */
async function removeUnused(database: DatabaseSync, signal: AbortSignal): Promise<void> {
  const unused = database.prepare(
    'select id from document where not exists (select 1 from file where document = document.id) limit ?',
  )
  const removals = [
    'delete from words where rowid in (select id from chunk where document = ?)',
    'delete from document_words where rowid = ?',
    'delete from chunk where document = ?',
    'delete from definition where document = ?',
    'delete from document where id = ?',
  ].map((sql) => database.prepare(sql))
  for (;;) {
    const found = unused.all(filesPerTransaction)
    if (found.length === 0 || signal.aborted) return
    inTransaction(database, () => {
      for (const { id } of found) for (const removal of removals) removal.run(id!)
    })
    await setImmediate()
  }
}

function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec('begin immediate')
  try {
    write()
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
