import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { fillDataDirectory } from '../../../test/fixtures/data-directory.ts'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'

const withoutJournals = [
  'activity/mine.yaml',
  'backup.json',
  'config.yaml',
  'connections.db',
  'hub.db',
  'hub.key',
  'state.key',
  'templates/mine.yaml',
  'templates/mine/seed.sh',
]

test('writes a file that tar reads, without the token, logins, workspaces and addresses of holders', async () => {
  const { home, file, backup } = await dataDirectory()
  expect(await backup()).toMatchObject({ code: 0, err: '' })
  expect(namesIn(file)).toEqual(withoutJournals)
  expect(readdirSync(join(file, '..'))).toEqual(['backup.tar.gz'])
  expect(execFileSync('tar', ['xzOf', file, 'config.yaml']).toString()).toBe(
    readFileSync(join(home, 'config.yaml'), 'utf8'),
  )
})

test('adds the output of sessions with --journals', async () => {
  const { file, backup } = await dataDirectory()
  await backup('--journals')
  expect(namesIn(file)).toEqual([
    ...withoutJournals.slice(0, 6),
    'sessions/s1/journal/0000000000000000.ndjson',
    'sessions/s1/journal/0000000000000000.raw',
    'sessions/s1/screen.json',
    ...withoutJournals.slice(6),
  ])
})

test('lets only its owner read the file, whatever the umask', async () => {
  const { file, backup } = await dataDirectory()
  const before = process.umask(0)
  try {
    await backup()
  } finally {
    process.umask(before)
  }
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('changes nothing in the data directory', async () => {
  const { home, backup } = await dataDirectory()
  // SQLite needs its side files even to read.
  const files = () =>
    new Set(readdirSync(home, { recursive: true }).map((name) => String(name).replace(/-(wal|shm)$/, '')))
  const before = files()
  await backup()
  expect(files()).toEqual(before)
})

test('copies a database that another process is writing, in the state of one moment', async () => {
  const { home, file, backup } = await dataDirectory()
  using writer = new DatabaseSync(join(home, 'hub.db'))
  writer.exec('create table pairs (a int); insert into pairs values (1)')
  writer.exec('begin immediate; insert into pairs values (2)')
  expect(await backup()).toMatchObject({ code: 0 })
  writer.exec('commit')
  const copy = join(temporaryDirectory(), 'hub.db')
  writeFileSync(copy, execFileSync('tar', ['xzOf', file, 'hub.db'], { maxBuffer: 1 << 26 }))
  using database = new DatabaseSync(copy)
  expect(database.prepare('select a from pairs').all()).toEqual([{ a: 1 }])
})

test('follows links to templates that are kept elsewhere, but not in a circle', async () => {
  const { home, file, backup } = await dataDirectory()
  const elsewhere = temporaryDirectory()
  writeFileSync(join(elsewhere, 'shared.yaml'), 'name: shared\n')
  symlinkSync(elsewhere, join(home, 'templates/shared'))
  symlinkSync(home, join(home, 'templates/circle'))
  symlinkSync('/nowhere', join(home, 'templates/broken.yaml'))
  expect(await backup()).toMatchObject({ code: 0 })
  expect(namesIn(file)).toContain('templates/shared/shared.yaml')
  expect(namesIn(file).filter((name) => name.includes('circle/templates/'))).toEqual([])
})

test('writes nothing if it cannot read a part, and names that part', async () => {
  const { home, file, backup } = await dataDirectory()
  symlinkSync('itself', join(home, 'templates/itself'))
  const { code, err } = await backup()
  expect(code).toBe(1)
  expect(err).toContain('templates/itself cannot be read: too many symbolic links encountered. No backup was written.')
  expect(existsSync(file)).toBe(false)
})

test('keeps the names of deep folders', async () => {
  const { home, file, backup } = await dataDirectory()
  const deep = `templates/${'folder-with-a-long-name/'.repeat(5)}`
  mkdirSync(join(home, deep), { recursive: true })
  writeFileSync(join(home, `${deep}ünïcode.md`), 'text')
  expect(await backup()).toMatchObject({ code: 0 })
  expect(execFileSync('tar', ['xzOf', file, `${deep}ünïcode.md`]).toString()).toBe('text')
})

test('says that the database of DATABASE_URL is not in the backup, and copies the files', async () => {
  const { file, backup } = await dataDirectory({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x' })
  const { code, err } = await backup()
  expect(code).toBe(0)
  expect(err).toContain('the database of DATABASE_URL is not in this file. Back it up with its own tools')
  expect(namesIn(file)).toEqual(withoutJournals.filter((name) => !name.endsWith('.db')))
})

test('does not replace an existing file', async () => {
  const { file, backup } = await dataDirectory()
  writeFileSync(file, 'mine')
  expect(await backup()).toMatchObject({ code: 1, err: expect.stringContaining('exists. Name another file') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test('replaces the unfinished files of an interrupted backup', async () => {
  const { file, backup } = await dataDirectory()
  mkdirSync(`${file}.part`)
  writeFileSync(join(`${file}.part`, 'hub.db'), 'half')
  expect(await backup()).toMatchObject({ code: 0 })
  expect(existsSync(`${file}.part`)).toBe(false)
})

test('writes nothing if a database is damaged', async () => {
  const { home, file, backup } = await dataDirectory()
  writeFileSync(join(home, 'hub.db'), 'not a database')
  expect(await backup()).toMatchObject({ code: 1, err: expect.stringContaining('hub.db is damaged') })
  expect(existsSync(file)).toBe(false)
  expect(existsSync(`${file}.part`)).toBe(false)
})

test('says that there is no hub in a directory', async () => {
  const file = join(temporaryDirectory(), 'backup.tar.gz')
  const { code, err } = await runInProcess(['backup', file], { env: { SIGNALBOX_HOME: temporaryDirectory() } })
  expect(code).toBe(1)
  expect(err).toContain('There is no hub in')
})

async function dataDirectory(more: { DATABASE_URL?: string } = {}) {
  const home = temporaryDirectory()
  await fillDataDirectory(home)
  const file = join(temporaryDirectory(), 'backup.tar.gz')
  const env = { SIGNALBOX_HOME: home, ...more }
  return { home, file, backup: (...flags: string[]) => runInProcess(['backup', file, ...flags], { env }) }
}

function namesIn(file: string): string[] {
  const names = execFileSync('tar', ['tzf', file, '--quoting-style=literal']).toString().trim()
  return names.split('\n').toSorted()
}
