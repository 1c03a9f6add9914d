/** Checks that the hub has a record of each program that runs in this data directory. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { openStore } from '../../store/store.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'
import { livingHolders } from './living-holders.ts'
import { openReadOnly, readOnlyUrl } from './read-only.ts'

const { ok, broken } = findingsAbout('sessions')

type Where = Pick<Config, 'home' | 'databaseUrl'>

export async function checkHolders(where: Where): Promise<Finding[]> {
  const living = await livingHolders(where.home)
  const known = living.length > 0 && (await livingRecords(where))
  if (!known) return []
  const unknown = living.filter((id) => !known.has(id))
  if (unknown.length === 0) return [ok(`${programs(living.length)}, and the hub has a record of each`)]
  return [
    broken(
      `${programs(unknown.length)} without a record at the hub: ${unknown.join(', ')}`,
      'start or restart the hub: it adopts them, and "signalbox ls" shows those without a record as found-…',
    ),
  ]
}

/** `undefined` if the database cannot be read, which another check reports. */
async function livingRecords({ home, databaseUrl }: Where): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set(databaseUrl === undefined ? listInSqlite(join(home, 'hub.db')) : await listInPostgres(databaseUrl))
  } catch {
    return undefined
  }
}

function listInSqlite(path: string): readonly string[] {
  if (!existsSync(path)) return []
  using database = openReadOnly(path)
  const rows = database.prepare('SELECT id FROM sessions WHERE ended_at IS NULL').all()
  return rows.map(({ id }) => String(id))
}

async function listInPostgres(databaseUrl: string): Promise<readonly string[]> {
  await using store = await openStore({ databaseUrl: readOnlyUrl(databaseUrl) })
  const rows = await store.db.selectFrom('sessions').select('id').where('ended_at', 'is', null).execute()
  return rows.map(({ id }) => id)
}

function programs(count: number): string {
  return count === 1 ? '1 program runs' : `${count} programs run`
}
