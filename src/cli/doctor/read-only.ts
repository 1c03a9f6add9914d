/** Opens a database without changing it, so that a running hub is not disturbed. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** Without a running hub there is no -wal file, and SQLite would create an empty one even to read. "immutable" prevents that. */
export function openReadOnly(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** A PostgreSQL URL whose transactions cannot write. */
export function readOnlyUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const options = [url.searchParams.get('options') ?? '', '-c default_transaction_read_only=on'].join(' ').trim()
  url.searchParams.set('options', options)
  return url.href
}

/** SQLSTATE 25006, read_only_sql_transaction: the database answered, and refused a write. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}
