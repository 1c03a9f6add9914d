/** The facts about an index as a whole. */
import type { DatabaseSync } from 'node:sqlite'
import type { IndexStatus } from '../api/repository.ts'

export type Meta = Pick<
  IndexStatus,
  'commit' | 'branch' | 'files' | 'chunks' | 'bytes' | 'skipped' | 'unread' | 'indexed_at' | 'last_error'
>

/** Replaces it together with the tree that readers see. The last error is over. */
export function writeMeta(database: DatabaseSync, meta: Omit<Meta, 'last_error'>): void {
  database.prepare(`insert or replace into meta values ('tree', ?)`).run(JSON.stringify(meta))
  database.exec(`delete from meta where key = 'error'`)
}

export function writeError(database: DatabaseSync, message: string): void {
  database.prepare(`insert or replace into meta values ('error', ?)`).run(message)
}

/** Without `indexed_at`, nothing has been indexed yet. */
export function readMeta(database: DatabaseSync): Meta {
  const rows = database.prepare('select key, value from meta').all()
  const values = new Map(rows.map(({ key, value }) => [key, String(value)]))
  const tree = values.get('tree')
  const lastError = values.get('error')
  return {
    ...(tree === undefined ? emptyMeta : (JSON.parse(tree) as Meta)),
    ...(lastError !== undefined && { last_error: lastError }),
  }
}

export const emptyMeta: Meta = { files: 0, chunks: 0, bytes: 0, skipped: 0 }
