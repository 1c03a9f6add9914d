import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { HubError } from '../../base/hub-error.ts'
import type { Config } from '../../config/config.ts'
import { reasonOf } from '../command/system-error.ts'
import { openStore } from '../../store/store.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'
import { isReadOnlyError, openReadOnly, readOnlyUrl } from './read-only.ts'

const { ok, note, broken } = findingsAbout('store')

/** The advice depends on the content of the file. The event log is not a part of the store and opens its own file. */
const databases = [
  {
    file: 'hub.db',
    isStore: true,
    advice:
      'restore it from a backup; without one, stop the hub and move it away with its -wal and -shm files: the hub then issues a new token',
  },
  {
    file: 'connections.db',
    isStore: true,
    advice: 'stop the hub and delete it with its -wal and -shm files: clients connect again',
  },
  {
    file: 'events.db',
    isStore: false,
    advice: 'stop the hub and move it away with its -wal and -shm files: a new event log begins',
  },
]

export function checkStore({ home, databaseUrl }: Pick<Config, 'home' | 'databaseUrl'>): Promise<Finding[]> {
  return databaseUrl === undefined ? checkSqlite(home) : checkPostgres(databaseUrl)
}

async function checkSqlite(home: string): Promise<Finding[]> {
  const existing = databases.filter(({ file }) => existsSync(join(home, file)))
  if (existing.length === 0) return [note(`there is no database in ${home} yet`, '"signalbox up" creates it')]
  const damaged = existing.flatMap(({ file, advice }) => checkIntegrity(join(home, file), advice))
  if (damaged.length > 0) return damaged
  return (
    (await checkOpening(home, existing)) ?? [ok(`${existing.map(({ file }) => file).join(', ')} in ${home} are intact`)]
  )
}

function checkIntegrity(path: string, advice: string): Finding[] {
  try {
    using database = openReadOnly(path)
    const [verdict] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    return verdict === 'ok' ? [] : [broken(`${path} is damaged: ${String(verdict)}`, advice)]
  } catch (error) {
    return [broken(`${path} cannot be read: ${reasonOf(error)}`, advice)]
  }
}

/** Opens copies, because opening a store migrates it, and only the hub should do that. */
async function checkOpening(home: string, existing: typeof databases): Promise<Finding[] | undefined> {
  const copies = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))
  try {
    for (const { file } of existing.filter(({ isStore }) => isStore)) await copy(join(home, file), join(copies, file))
    const store = await openStore({ sqliteDir: copies })
    await store[Symbol.asyncDispose]()
    return undefined
  } catch (error) {
    return [unusable(error, (message) => message.replaceAll(copies, home))]
  } finally {
    rmSync(copies, { recursive: true })
  }
}

async function copy(from: string, to: string): Promise<void> {
  using database = openReadOnly(from)
  await backup(database, to)
}

/** Uses transactions that cannot write, for the same reason. */
async function checkPostgres(databaseUrl: string): Promise<Finding[]> {
  const answers = [ok('the PostgreSQL database of DATABASE_URL answers')]
  try {
    const store = await openStore({ databaseUrl: readOnlyUrl(databaseUrl) })
    await store[Symbol.asyncDispose]()
    return answers
  } catch (error) {
    return isReadOnlyError(error) ? answers : [unusable(error)]
  }
}

function unusable(error: unknown, rewrite = (message: string) => message): Finding {
  if (!(error instanceof HubError)) throw error
  return broken('the store does not open', rewrite(error.message))
}
