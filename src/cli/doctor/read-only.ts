/** Looking at a database without changing it, so that a running hub is not disturbed. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** Where no hub runs there is no -wal file, and SQLite would make an empty one even to read; "immutable" keeps it from that. */
export function openUntouched(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** For PostgreSQL: in transactions that cannot write. */
export function withoutWriting(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const options = [url.searchParams.get('options') ?? '', '-c default_transaction_read_only=on'].join(' ').trim()
  url.searchParams.set('options', options)
  return url.href
}

/** SQLSTATE 25006, read_only_sql_transaction: it was reached, and asked to change something. */
export function isRefusalToWrite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}
