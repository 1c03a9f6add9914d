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

test('no database is a note: the first start makes it', async () => {
  const home = temporaryDirectory()
  expect(await checkStore({ home })).toMatchObject([{ is: 'note', advice: '"signalbox up" makes it' }])
  expect(readdirSync(home)).toEqual([])
})

test('a sound store is good, and is left as it was, byte for byte', async () => {
  const home = await homeWithStore()
  const before = contentsOf(home)
  expect(await checkStore({ home })).toMatchObject([{ is: 'ok', says: `hub.db, connections.db in ${home} are sound` }])
  expect(contentsOf(home)).toEqual(before)
})

test('a store that a hub is just writing to is good', async () => {
  const home = await homeWithStore()
  using hub = new DatabaseSync(join(home, 'hub.db'))
  hub.exec('BEGIN IMMEDIATE')
  expect(await checkStore({ home })).toMatchObject([{ is: 'ok' }])
})

test.each([
  ['hub.db', 'bring it back from a backup'],
  ['connections.db', 'clients connect anew'],
  ['events.db', 'the event log begins anew'],
])('%s that is no database is broken, with what to do without it', async (file, advice) => {
  const home = await homeWithStore()
  writeFileSync(join(home, file), 'this is no database, whatever its name says. '.repeat(100))
  expect(await checkStore({ home })).toMatchObject([
    {
      is: 'broken',
      says: expect.stringContaining(`${home}/${file} cannot be read`),
      mend: expect.stringContaining(advice),
    },
  ])
})

test('a file with damaged pages is found', async () => {
  const home = await homeWithStore()
  const path = join(home, 'hub.db')
  fillWith(path, 500)
  overwriteMiddle(path)
  const [finding] = await checkStore({ home })
  expect(finding).toMatchObject({ is: 'broken', says: expect.stringContaining(path) })
})

test('a file that was cut off is found', async () => {
  const home = await homeWithStore()
  const path = join(home, 'hub.db')
  fillWith(path, 500)
  truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
  expect(await checkStore({ home })).toMatchObject([{ is: 'broken', says: expect.stringContaining(path) }])
})

test('a store of a newer version is broken, with the advice of the store and the path of the person', async () => {
  const home = await homeWithStore()
  using database = new DatabaseSync(join(home, 'hub.db'))
  database.exec(
    `insert into signalbox_migrations select set_name, '9999-from-the-future', checksum, applied_at from signalbox_migrations limit 1`,
  )
  expect(await checkStore({ home })).toMatchObject([
    { is: 'broken', mend: expect.stringMatching(new RegExp(`^${home}/hub\\.db was written by a newer signalbox`)) },
  ])
})

test('a PostgreSQL that does not answer is broken, and the password is not told', async () => {
  const findings = await checkStore({ home: '/nowhere', databaseUrl: 'postgres://me:hunter2@127.0.0.1:1/signalbox' })
  expect(findings).toMatchObject([{ is: 'broken', mend: expect.stringContaining('DATABASE_URL') }])
  expect(JSON.stringify(findings)).not.toContain('hunter2')
})

test('a PostgreSQL that answers is good, and nothing is written into it', async () => {
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
