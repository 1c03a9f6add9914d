/** Runs a suite on each engine, with a fresh store. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { openStore } from '../../src/store/store.ts'
import { createDatabase } from '../postgres.ts'

export interface OpenedStore extends AsyncDisposable {
  readonly store: Store
  /** Opens another handle on the same data, as the next hub does. */
  reopen(): Promise<Store>
}

export function describeOnEachEngine(name: string, suite: (open: () => Promise<OpenedStore>) => void): void {
  describe.each([
    ['sqlite', openOnSqlite],
    ['postgres', openOnPostgres],
  ] as const)(`${name} on %s`, (_, open) => suite(open))
}

async function openOnSqlite(): Promise<OpenedStore> {
  const sqliteDir = await mkdtemp(join(tmpdir(), 'signalbox-store-'))
  return opened(
    () => openStore({ sqliteDir }),
    () => rm(sqliteDir, { recursive: true }),
  )
}

async function openOnPostgres(): Promise<OpenedStore> {
  const database = await createDatabase(inject('postgresUrl'), inject('postgresTemplate'))
  return opened(
    () => openStore({ databaseUrl: database.url }),
    () => database[Symbol.asyncDispose](),
  )
}

async function opened(open: () => Promise<Store>, remove: () => Promise<void>): Promise<OpenedStore> {
  const stack = new AsyncDisposableStack()
  stack.defer(remove)
  const use = async () => stack.use(await open())
  return { store: await use(), reopen: use, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
