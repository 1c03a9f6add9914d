import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fillDataDirectory } from '../../../test/fixtures/data-directory.ts'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { bundled } from '../../../test/harness/bundle.ts'
import { shippedHub } from '../../../test/worlds/hub-process.ts'
import { startOwnHub } from '../../../test/worlds/own-hub.ts'
import { createManifest } from './backup-parts.ts'
import { writeTar } from './tar-writer.ts'

test('makes a data directory that is as private as its hub wants it', async () => {
  const { home, restore } = await backupOf()
  const { code, out } = await restore()
  expect(code).toBe(0)
  expect(out).toContain('It issues a new token for you.')
  expect(pathsIn(home)).toEqual([
    'activity/mine.yaml',
    'config.yaml',
    'connections.db',
    'hub.db',
    'hub.key',
    'hub.lock',
    'sessions/s1/journal/0000000000000000.ndjson',
    'sessions/s1/journal/0000000000000000.raw',
    'sessions/s1/screen.json',
    'state.key',
    'templates/mine.yaml',
    'templates/mine/seed.sh',
  ])
  expect(modeOf(home)).toBe(0o700)
  expect(modeOf(join(home, 'templates'))).toBe(0o700)
  expect(modeOf(join(home, 'hub.db'))).toBe(0o600)
  expect(modeOf(join(home, 'templates/mine/seed.sh')), 'a script stays one').toBe(0o700)
  expect(readFileSync(join(home, 'sessions/s1/journal/0000000000000000.raw'), 'utf8')).toBe('printed')
  expect(readdirSync(join(home, '..'))).toEqual(['home'])
})

test('names the commands for a directory that --home names', async () => {
  const { home, restore } = await backupOf()
  expect((await restore()).out).toContain('Start the hub with "signalbox up".')
  const { out } = await restore('--home', `${home}-2`)
  expect(out).toContain(`see "signalbox token list --home ${home}-2".`)
  expect(out).toContain(`Start the hub with "signalbox up --home ${home}-2".`)
})

test('refuses a directory that is not empty', async () => {
  const { home, restore } = await backupOf()
  await fillDataDirectory(home)
  writeFileSync(join(home, 'hub.key'), 'mine')
  expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining(`${home} is not empty.`) })
  expect(readFileSync(join(home, 'hub.key'), 'utf8')).toBe('mine')
})

test('keeps the directory that it replaces', async () => {
  const { home, restore } = await backupOf()
  await fillDataDirectory(home)
  writeFileSync(join(home, 'hub.key'), 'mine')
  const { code, out } = await restore('--replace')
  expect(code).toBe(0)
  const [, aside = ''] = /The earlier directory is now (\S+)\./.exec(out) ?? []
  expect(readFileSync(join(aside, 'hub.key'), 'utf8')).toBe('mine')
  expect(existsSync(join(aside, 'workspaces/work/file'))).toBe(true)
  expect(readFileSync(join(home, 'hub.key'), 'utf8')).toBe('h'.repeat(32))
})

test('replaces a directory behind a symbolic link, and keeps the link', async () => {
  const { home, restore } = await backupOf()
  const real = join(temporaryDirectory(), 'real')
  await fillDataDirectory(real)
  symlinkSync(real, home)
  expect(await restore('--replace')).toMatchObject({ code: 0 })
  expect(existsSync(join(real, 'hub.db'))).toBe(true)
  expect(existsSync(join(real, 'workspaces'))).toBe(false)
})

test('never replaces a directory with foreign files', async () => {
  const { home, restore } = await backupOf()
  await fillDataDirectory(join(home, '../other'))
  execFileSync('mkdir', [home])
  writeFileSync(join(home, 'thesis.tex'), '')
  expect(await restore('--replace')).toMatchObject({ code: 1, err: expect.stringContaining("not Signalbox's") })
  expect(readdirSync(home)).toEqual(['thesis.tex'])
})

test('refuses a directory in which a hub runs, and one in which only a program of a session runs', async () => {
  const { file } = await backupOf()
  await using hub = await startOwnHub({ program: shippedHub })
  await hub.call('create_session', { name: 'long', command: 'sleep 1000' })
  const restore = () =>
    runInProcess(['restore', file, '--home', hub.home, '--replace'], { env: { SIGNALBOX_HOME: hub.home } })
  expect(await restore()).toMatchObject({ code: 7, err: expect.stringContaining(`pid ${hub.process.pid}`) })
  await hub.end('SIGKILL')
  expect(await restore()).toMatchObject({
    code: 1,
    err: expect.stringContaining('A program of a session runs in'),
  })
  expect(existsSync(join(hub.home, 'token'))).toBe(true)
  await hub.restart('SIGKILL')
  expect(await hub.call('get_session', { name: 'long' })).toMatchObject({ status: 'running' })
})

test('says why it cannot make the directory', async () => {
  const { file, restore } = await backupOf()
  const refused = { code: 1, err: expect.stringContaining('cannot be created: no such file or directory.') as string }
  expect(await restore('--home', '/proc/none')).toMatchObject(refused)
  expect(await restore('--home', file)).toMatchObject({
    code: 1,
    err: `signalbox: ${file} is not a directory. Name another one with --home.`,
  })
})

test.each([
  ['a path outside', { path: '../evil' }],
  ['a path outside of a folder', { path: 'templates/../../evil' }],
  ['an absolute path', { path: '/tmp/evil' }],
  ['a path with an empty part', { path: 'templates//evil' }],
  ['a token file', { path: 'token' }],
  ['a socket place', { path: 'run/hub.sock' }],
  ['the address of a holder', { path: 'sessions/s1/holder.json' }],
  ['a symbolic link', { path: 'templates/evil', kind: '2' }],
  ['a hard link', { path: 'templates/evil', kind: '1' }],
  ['a folder', { path: 'templates/evil', kind: '5' }],
  ['a device', { path: 'templates/evil', kind: '3' }],
  ['a path twice', { path: 'hub.key' }],
])('refuses an archive with %s', async (_, extra) => {
  const { home, file, restore } = await backupOf()
  await craft(file, extra)
  const { code, err } = await restore()
  expect(code).toBe(1)
  expect(err).toContain('Nothing was restored.')
  expect(readdirSync(join(home, '..'))).toEqual([])
  expect(existsSync('/tmp/evil')).toBe(false)
})

test('accepts an archive with one more valid file', async () => {
  const { file, restore } = await backupOf()
  await craft(file, { path: 'templates/fine' })
  expect(await restore()).toMatchObject({ code: 0 })
})

test.each([
  ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
  ['is cut off in its middle', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['has a flipped bit', (bytes: Buffer) => bytes.with(bytes.length / 2, bytes[Math.floor(bytes.length / 2)]! ^ 1)],
  ['has another checksum', (bytes: Buffer) => bytes.with(bytes.length - 8, bytes.at(-8)! ^ 1)],
  ['is empty', () => Buffer.alloc(0)],
  ['is not compressed', (bytes: Buffer) => gunzipSync(bytes)],
  ['ends too early inside', (bytes: Buffer) => gzipSync(gunzipSync(bytes).subarray(0, 5 * 512))],
  ['has a damaged database', (bytes: Buffer) => gzipSync(overwritten(gunzipSync(bytes)))],
])('refuses an archive that %s', async (_, damage) => {
  const { home, file, restore } = await backupOf()
  writeFileSync(file, damage(readFileSync(file)))
  const { code, err } = await restore()
  expect(code).toBe(1)
  expect(err).toMatch(/is damaged, or not a backup of Signalbox: .*Nothing was restored\./)
  expect(err, 'an error of the decompressor is not one of the system').not.toMatch(/no such process|i\/o error/)
  expect(readdirSync(join(home, '..'))).toEqual([])
})

test.each([
  ['format', { ...createManifest({ store: 'sqlite', journals: false }), format: 2 }],
  ['release', { ...createManifest({ store: 'sqlite', journals: false }), signalbox: '0.10.0' }],
])('refuses a backup of a newer %s', async (_, manifest) => {
  const { home, file, restore } = await backupOf()
  await craft(file, { path: 'templates/fine', manifest: JSON.stringify(manifest) })
  const { code, err } = await restore()
  expect(code).toBe(1)
  expect(err).toContain('Install that version or a later one. Nothing was restored.')
  expect(existsSync(home)).toBe(false)
})

test('leaves no half directory when it is killed, and the next restore succeeds', async () => {
  const { home, file, restore } = await backupOf()
  const pipe = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const restoring = spawn(process.execPath, [bundled('signalbox'), 'restore', pipe, '--home', home], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(restoring, 'exit')
  const writer = createWriteStream(pipe)
  writer.on('error', () => {})
  writer.write(halfOf(readFileSync(file)))
  await expect.poll(() => existsSync(join(`${home}.restoring`, 'hub.db'))).toBe(true)

  expect(await restore(), 'another restore waits for it').toMatchObject({
    code: 1,
    err: expect.stringContaining('Another command is writing'),
  })
  restoring.kill('SIGKILL')
  await ended
  writer.destroy()
  expect(existsSync(home)).toBe(false)
  expect(await restore()).toMatchObject({ code: 0 })
  expect(readdirSync(join(home, '..'))).toEqual(['home'])
})

/** The same for all tests. Each gets a copy. */
let backup: Buffer | undefined

/** A backup, and a command that restores it into a new directory. */
async function backupOf() {
  const file = join(temporaryDirectory(), 'backup.tar.gz')
  const home = join(temporaryDirectory(), 'home')
  backup ??= await makeBackup()
  writeFileSync(file, backup)
  const restore = (...flags: string[]) => runInProcess(['restore', file, ...flags], { env: { SIGNALBOX_HOME: home } })
  return { file, home, restore }
}

async function makeBackup(): Promise<Buffer> {
  const origin = temporaryDirectory()
  await fillDataDirectory(origin)
  const file = join(temporaryDirectory(), 'backup.tar.gz')
  const written = await runInProcess(['backup', file, '--journals'], { env: { SIGNALBOX_HOME: origin } })
  expect(written.code).toBe(0)
  return readFileSync(file)
}

interface Crafted {
  readonly path: string
  readonly kind?: string
  readonly manifest?: string
}

/** Adds one entry to a small archive, as an attacker would. */
async function craft(file: string, { path, kind = '0', manifest }: Crafted): Promise<void> {
  const entry = (name: string, text: string | Buffer) => ({
    path: name,
    mode: 0o4777,
    modifiedAt: new Date(0),
    size: text.length,
    content: [Buffer.from(text)],
  })
  const hubDatabase = execFileSync('tar', ['xzOf', file, 'hub.db'], { maxBuffer: 1 << 26 })
  const described = manifest ?? JSON.stringify(createManifest({ store: 'sqlite', journals: false }))
  const honest = [entry('backup.json', described), entry('hub.db', hubDatabase), entry('hub.key', 'key')]
  const blocks = await Array.fromAsync(writeTar([...honest, entry(path, 'evil')]))
  // The header of the last entry stands before its content, its padding and the end.
  const place = blocks.length - 4
  const header = Buffer.from(blocks[place]!)
  header.write(kind, 156)
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  header.write(sum.toString(8).padStart(6, '0'), 148)
  writeFileSync(file, gzipSync(Buffer.concat(blocks.with(place, header))))
}

/** Makes the pages of hub.db unreadable, and leaves the headers of the archive as they are. */
function overwritten(archive: Buffer): Buffer {
  const start = archive.indexOf('SQLite format 3\0', archive.indexOf('hub.db'))
  return Buffer.from(archive.fill(0xff, start + 100, start + 8192))
}

/** Up to the middle, in a state from which a reader gets everything before it. */
function halfOf(archive: Buffer): Buffer {
  const plain = gunzipSync(archive)
  return gzipSync(plain.subarray(0, plain.lastIndexOf('templates/mine.yaml')))
}

function pathsIn(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(home.length + 1))
    .toSorted()
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}
