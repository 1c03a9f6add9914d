import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Config } from '../../config/config.ts'
import { openStore } from '../../store/store.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('store')

/** What each file holds decides what to do without it. */
const databases = [
  { file: 'hub.db', without: 'bring it back from a backup; without one, move it away: tokens and settings begin anew' },
  { file: 'connections.db', without: 'stop the hub and delete it: clients connect anew' },
  { file: 'events.db', without: 'stop the hub and move it away: the event log begins anew' },
]

export function checkStore({ home, databaseUrl }: Pick<Config, 'home' | 'databaseUrl'>): Promise<Finding[]> {
  return databaseUrl === undefined ? checkSqlite(home) : checkPostgres(databaseUrl)
}

async function checkSqlite(home: string): Promise<Finding[]> {
  const there = databases.filter(({ file }) => existsSync(join(home, file)))
  if (there.length === 0) return [note(`sqlite in ${home}: no database yet`, '"signalbox up" makes it')]
  const damaged = there.flatMap(({ file, without }) => checkIntegrity(join(home, file), without))
  return damaged.length > 0 ? damaged : checkOpening(home, there)
}

/** Read-only, so that a running hub is not disturbed. */
function checkIntegrity(path: string, without: string): Finding[] {
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    const verdict = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    return verdict === 'ok' ? [] : [broken(`${path} is damaged: ${String(verdict)}`, without)]
  } catch (error) {
    return [broken(`${path} cannot be read: ${messageOf(error)}`, without)]
  }
}

/** On copies: opening a store brings it up to date, which is for the hub to do and not for whoever asks how it is. */
async function checkOpening(home: string, there: typeof databases): Promise<Finding[]> {
  const copies = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))
  try {
    for (const { file } of there) await copy(join(home, file), join(copies, file))
    await using store = await openStore({ sqliteDir: copies })
    return [ok(`${store.engine} in ${home}: ${there.map(({ file }) => file).join(', ')} are sound and open`)]
  } catch (error) {
    return [unusable(error)]
  } finally {
    rmSync(copies, { recursive: true })
  }
}

async function copy(from: string, to: string): Promise<void> {
  using database = new DatabaseSync(from, { readOnly: true })
  await backup(database, to)
}

async function checkPostgres(databaseUrl: string): Promise<Finding[]> {
  try {
    await using store = await openStore({ databaseUrl })
    return [ok(`the ${store.engine} database of DATABASE_URL answers and is up to date`)]
  } catch (error) {
    return [unusable(error)]
  }
}

function unusable(error: unknown): Finding {
  if (!(error instanceof HubError)) throw error
  return broken('the store does not open', error.message)
}
