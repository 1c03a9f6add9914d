/** SQLite's full-text search as it comes: its default tokenizer, its default ranking, chunks of 50 lines. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keywordsOf, wordsOf } from './keywords.ts'
import { type BenchRepository, rootOf } from './repositories.ts'
import type { System } from './system.ts'

const linesPerChunk = 50
/** Enough chunks for ten files. */
const chunksPerQuery = 100

/** Two systems on one index: one looks for all words of the question, the other for its keywords. */
export function createDefaultFts(directory: string): readonly [System, System] {
  const databases = new Map<string, DatabaseSync>()
  const search = ({ name }: BenchRepository, words: readonly string[]) => {
    if (words.length === 0) return []
    const sql = 'SELECT path FROM chunks WHERE chunks MATCH ? ORDER BY rank LIMIT ?'
    const query = words.map((word) => `"${word}"`).join(' OR ')
    const rows = databases.get(name)!.prepare(sql).all(query, chunksPerQuery)
    return rows.map(({ path }) => String(path))
  }
  return [
    {
      name: 'FTS5, default',
      index: async (repository) => {
        const database = new DatabaseSync(join(directory, `${repository.name}.sqlite`))
        databases.set(repository.name, database)
        fill(database, rootOf(repository))
      },
      search: async (repository, question) => search(repository, wordsOf(question)),
      [Symbol.asyncDispose]: async () => {
        for (const database of databases.values()) database.close()
      },
    },
    {
      name: 'FTS5, default, keywords',
      index: async () => {},
      search: async (repository, question) => search(repository, keywordsOf(question)),
      [Symbol.asyncDispose]: async () => {},
    },
  ]
}

function fill(database: DatabaseSync, root: string): void {
  database.exec('PRAGMA journal_mode = WAL; CREATE VIRTUAL TABLE chunks USING fts5(path UNINDEXED, body)')
  const insert = database.prepare('INSERT INTO chunks (path, body) VALUES (?, ?)')
  database.exec('BEGIN')
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })
  for (const path of paths.split('\0').filter((each) => each !== '')) {
    const bytes = readFileSync(join(root, path))
    if (bytes.includes(0)) continue
    const lines = bytes.toString('utf8').split('\n')
    for (let line = 0; line < lines.length; line += linesPerChunk) {
      insert.run(path, lines.slice(line, line + linesPerChunk).join('\n'))
    }
  }
  database.exec('COMMIT')
}
