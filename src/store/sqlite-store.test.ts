import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { openStore } from './store.ts'

async function makeStore(): Promise<string> {
  const sqliteDir = join(temporaryDirectory(), 'home')
  await using store = await openStore({ sqliteDir })
  for (let count = 0; count < 200; count++) {
    const rest = { role: 'human', created_at: '2026-01-01T00:00:00.000Z', hash: `${count} ${'x'.repeat(500)}` }
    await store.db
      .insertInto('tokens')
      .values({ id: `t${count}`, ...rest })
      .execute()
  }
  return sqliteDir
}

test('only the owner may read the directory and its files', async () => {
  const sqliteDir = join(temporaryDirectory(), 'home')
  await using _store = await openStore({ sqliteDir })
  expect(statSync(sqliteDir).mode & 0o777).toBe(0o700)
  const files = readdirSync(sqliteDir)
  expect(files).toEqual(expect.arrayContaining(['hub.db', 'hub.db-wal', 'connections.db', 'connections.db-wal']))
  for (const file of files) expect(statSync(join(sqliteDir, file)).mode & 0o777, file).toBe(0o600)
})

test('commits to people’s data wait for the disk, commits to the data of connections do not', async () => {
  await using store = await openStore({ sqliteDir: temporaryDirectory() })
  const pragma = async (handle: typeof store.db | typeof store.transient, name: string) =>
    Object.values(
      (await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(handle as typeof store.db)).rows[0]!,
    )[0]
  expect(await pragma(store.db, 'synchronous')).toBe(2)
  expect(await pragma(store.transient, 'synchronous')).toBe(1)
  for (const handle of [store.db, store.transient]) {
    expect(await pragma(handle, 'journal_mode')).toBe('wal')
    expect(await pragma(handle, 'foreign_keys')).toBe(1)
    expect(await pragma(handle, 'busy_timeout')).toBe(5000)
  }
})

test('all data is in two files after the store is closed', async () => {
  const sqliteDir = await makeStore()
  expect(readdirSync(sqliteDir).sort()).toEqual(['connections.db', 'hub.db'])
})

test.each([
  [
    'a text file in place of the database',
    (file: string) => writeFileSync(file, 'this is not a database, but a longer text '.repeat(200)),
  ],
  ['a truncated file', (file: string) => truncateSync(file, 40_000)],
  [
    'a file with garbage in the middle',
    (file: string) => {
      const bytes = readFileSync(file)
      bytes.fill(0xab, 8192, 20_000)
      writeFileSync(file, bytes)
    },
  ],
  [
    'a file with garbage in a part that the start does not read',
    (file: string) => {
      const bytes = readFileSync(file)
      bytes.fill(0xab, bytes.length - 4096)
      writeFileSync(file, bytes)
    },
  ],
])('%s is reported with its path and a way out', async (_, damage) => {
  const sqliteDir = await makeStore()
  damage(join(sqliteDir, 'hub.db'))
  await expect(openStore({ sqliteDir })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /hub\.db is damaged or not a database\. Move it away .* restore a backup, or start with an empty store\./,
    ),
  })
})

test('reports a directory in place of the file', async () => {
  const sqliteDir = temporaryDirectory()
  mkdirSync(join(sqliteDir, 'hub.db'))
  await expect(openStore({ sqliteDir })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('hub.db'),
  })
})

test('reports a directory that cannot be created', async () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  const opening = openStore({ sqliteDir: join(file, 'home') })
  await expect(opening).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('hub.db') })
})

test('three processes can open an empty directory at once', async () => {
  const sqliteDir = temporaryDirectory()
  const program = `
    const { openStore } = await import(${JSON.stringify(new URL('./store.ts', import.meta.url).href)})
    await using store = await openStore({ sqliteDir: ${JSON.stringify(sqliteDir)} })
    const id = String(process.pid)
    await store.db.insertInto('tokens').values({ id, hash: id, role: 'human', created_at: 'now' }).execute()`
  const run = promisify(execFile)
  await Promise.all(Array.from({ length: 3 }, () => run(process.execPath, ['--input-type=module', '-e', program])))
  await using store = await openStore({ sqliteDir })
  expect(await store.db.selectFrom('tokens').select('id').execute()).toHaveLength(3)
})

test('reports a file that another process has locked as busy and not as broken', async () => {
  const sqliteDir = await makeStore()
  using other = new DatabaseSync(join(sqliteDir, 'hub.db'))
  other.exec('begin immediate; create table t (a)')
  await expect(openStore({ sqliteDir })).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('in use'),
  })
  other.exec('rollback')
  await using _store = await openStore({ sqliteDir })
})
