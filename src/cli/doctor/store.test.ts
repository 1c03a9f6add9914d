import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { createDatabase, runSql } from '../../../test/postgres.ts'
import { openStore } from '../../store/store.ts'
import { checkStore } from './store.ts'

test('notes that there is no database yet', async () => {
  const home = temporaryDirectory()
  expect(await checkStore({ home })).toMatchObject([{ is: 'note', advice: '"signalbox up" creates it' }])
  expect(readdirSync(home)).toEqual([])
})

test('accepts an intact store and does not change a byte of it', async () => {
  const home = await homeWithStore()
  const before = contentsOf(home)
  expect(await checkStore({ home })).toMatchObject([{ is: 'ok', says: `hub.db, connections.db in ${home} are intact` }])
  expect(contentsOf(home)).toEqual(before)
})

test('accepts a store while a hub writes to it', async () => {
  const home = await homeWithStore()
  using hub = new DatabaseSync(join(home, 'hub.db'))
  hub.exec('BEGIN IMMEDIATE')
  expect(await checkStore({ home })).toMatchObject([{ is: 'ok' }])
})

test.each([
  ['hub.db', 'restore it from a backup'],
  ['connections.db', 'clients connect again'],
  ['events.db', 'a new event log begins'],
])('reports a %s that is not a database, and says what to do', async (file, advice) => {
  const home = await homeWithStore()
  writeFileSync(join(home, file), 'this is not a database, in spite of its name. '.repeat(100))
  expect(await checkStore({ home })).toMatchObject([
    {
      is: 'broken',
      says: expect.stringContaining(`${home}/${file} cannot be read`),
      mend: expect.stringContaining(advice),
    },
  ])
})

test('finds damaged pages in a file', async () => {
  const home = await homeWithStore()
  const path = join(home, 'hub.db')
  fillWith(path, 500)
  overwriteMiddle(path)
  const [finding] = await checkStore({ home })
  expect(finding).toMatchObject({ is: 'broken', says: expect.stringContaining(path) })
})

test('finds a truncated file', async () => {
  const home = await homeWithStore()
  const path = join(home, 'hub.db')
  fillWith(path, 500)
  truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
  expect(await checkStore({ home })).toMatchObject([{ is: 'broken', says: expect.stringContaining(path) }])
})

test('reports a store of a newer version with its real path', async () => {
  const home = await homeWithStore()
  using database = new DatabaseSync(join(home, 'hub.db'))
  database.exec(
    `insert into signalbox_migrations select set_name, '9999-from-the-future', checksum, applied_at from signalbox_migrations limit 1`,
  )
  expect(await checkStore({ home })).toMatchObject([
    { is: 'broken', mend: expect.stringMatching(new RegExp(`^${home}/hub\\.db was written by a newer signalbox`)) },
  ])
})

test('reports a PostgreSQL that does not answer, without the password', async () => {
  const findings = await checkStore({ home: '/nowhere', databaseUrl: 'postgres://me:hunter2@127.0.0.1:1/signalbox' })
  expect(findings).toMatchObject([{ is: 'broken', mend: expect.stringContaining('DATABASE_URL') }])
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})

test('accepts a PostgreSQL that answers, and writes nothing into it', async () => {
  await using database = await createDatabase(inject('postgresUrl'))
  expect(await checkStore({ home: '/nowhere', databaseUrl: database.url })).toMatchObject([{ is: 'ok' }])
  await expect(runSql(database.url, 'select * from signalbox_migrations')).rejects.toThrow('does not exist')
})

async function homeWithStore(): Promise<string> {
  const home = temporaryDirectory()
  const store = await openStore({ sqliteDir: home })
  await store[Symbol.asyncDispose]()
  return home
}

function contentsOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  )
}

function fillWith(path: string, rows: number): void {
  using database = new DatabaseSync(path)
  const insert = database.prepare(
    `insert into tokens (id, role, hash, label, created_at) values (?, 'human', ?, ?, '2026-01-01T00:00:00.000Z')`,
  )
  for (let row = 0; row < rows; row++) insert.run(`t${row}`, `hash-${row}`, 'x'.repeat(200))
  database.exec('pragma wal_checkpoint(truncate)')
}

function overwriteMiddle(path: string): void {
  const middle = Math.floor(statSync(path).size / 2 / 4096) * 4096
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, middle)
  closeSync(file)
}
