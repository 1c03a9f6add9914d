import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Config } from '../../config/config.ts'
import { openStore } from '../../store/store.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'
import { isRefusalToWrite, openUntouched, withoutWriting } from './read-only.ts'

const { ok, note, broken } = findingsAbout('store')

/** What a file holds decides what to do without it. The log is no part of the store and looks after itself. */
const databases = [
  {
    file: 'hub.db',
    isOfStore: true,
    without:
      'bring it back from a backup; without one, stop the hub and move it away with its -wal and -shm files: tokens begin anew',
  },
  {
    file: 'connections.db',
    isOfStore: true,
    without: 'stop the hub and delete it with its -wal and -shm files: clients connect anew',
  },
  {
    file: 'events.db',
    isOfStore: false,
    without: 'stop the hub and move it away with its -wal and -shm files: the event log begins anew',
  },
]

export function checkStore({ home, databaseUrl }: Pick<Config, 'home' | 'databaseUrl'>): Promise<Finding[]> {
  return databaseUrl === undefined ? checkSqlite(home) : checkPostgres(databaseUrl)
}

async function checkSqlite(home: string): Promise<Finding[]> {
  const there = databases.filter(({ file }) => existsSync(join(home, file)))
  if (there.length === 0) return [note(`there is no database in ${home} yet`, '"signalbox up" makes it')]
  const damaged = there.flatMap(({ file, without }) => checkIntegrity(join(home, file), without))
  if (damaged.length > 0) return damaged
  return (await checkOpening(home, there)) ?? [ok(`${there.map(({ file }) => file).join(', ')} in ${home} are sound`)]
}

function checkIntegrity(path: string, without: string): Finding[] {
  try {
    using database = openUntouched(path)
    const [verdict] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    return verdict === 'ok' ? [] : [broken(`${path} is damaged: ${String(verdict)}`, without)]
  } catch (error) {
    return [broken(`${path} cannot be read: ${messageOf(error)}`, without)]
  }
}

/** On copies: opening a store brings it up to date, which is for the hub to do and not for whoever asks how it is. */
async function checkOpening(home: string, there: typeof databases): Promise<Finding[] | undefined> {
  const copies = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))
  try {
    for (const { file } of there.filter(({ isOfStore }) => isOfStore)) await copy(join(home, file), join(copies, file))
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
  using database = openUntouched(from)
  await backup(database, to)
}

/** In transactions that cannot write, for the same reason. */
async function checkPostgres(databaseUrl: string): Promise<Finding[]> {
  const answers = [ok('the PostgreSQL database of DATABASE_URL answers')]
  try {
    const store = await openStore({ databaseUrl: withoutWriting(databaseUrl) })
    await store[Symbol.asyncDispose]()
    return answers
  } catch (error) {
    return isRefusalToWrite(error) ? answers : [unusable(error)]
  }
}

function unusable(error: unknown, inTheirWords = (message: string) => message): Finding {
  if (!(error instanceof HubError)) throw error
  return broken('the store does not open', inTheirWords(error.message))
}
