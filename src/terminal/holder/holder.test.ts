import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createHash, randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { connectToHolder } from '../holder-connection.ts'
import { readIndex, readJournal } from '../journal.ts'
import { startHolder } from '../start-holder.ts'
import type { Exit } from './frames.ts'

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

async function hold(command: string, options: { segmentBytes?: number; maxBytes?: number; env?: Record<string, string> } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'sb-holder-'))
  homes.push(directory)
  const { segmentBytes = 8 * 1024 * 1024, maxBytes = 1024 * 1024 * 1024, env = {} } = options
  const program = { file: '/bin/sh', args: ['-c', command], cwd: '/', env: { PATH: '/usr/bin:/bin', ...env }, cols: 80, rows: 24 }
  const socket = join(directory, 's.sock')
  const notice = await startHolder({ version: 'test', socket, directory, journal: { segmentBytes, maxBytes }, program })
  return { directory, socket, notice, journal: join(directory, 'journal') }
}

/** All output from `from` to the end of the program. */
async function follow(socket: string, from = 0): Promise<{ bytes: Buffer; exit: Exit | undefined }> {
  const connection = await connectToHolder(socket)
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    let exit: Exit | undefined
    if (!connection) return resolve({ bytes: Buffer.alloc(0), exit })
    connection.attach(from, {
      onOutput: (_, bytes) => chunks.push(Buffer.from(bytes)),
      onResize: () => {},
      onExit: (ended) => (exit = ended),
      onFault: () => {},
      onClose: () => resolve({ bytes: Buffer.concat(chunks), exit }),
    })
  })
}

function readAll(journal: string): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (;;) {
    const { offset, bytes } = readJournal(journal, from, 1024 * 1024)
    if (bytes.length === 0) return Buffer.concat(parts)
    parts.push(bytes)
    from = offset + bytes.length
  }
}

async function untilExit(journal: string): Promise<Exit> {
  for (;;) {
    const exit = readIndex(journal).findLast((entry) => entry.is === 'exit')
    if (exit) return exit
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('no byte of a short command is lost, many at once', async () => {
  const expected = Buffer.from(`${Array.from({ length: 2000 }, (_, index) => `${index + 1}\r\n`).join('')}END\r\n`)
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { journal } = await hold('seq 1 2000; echo END')
      await untilExit(journal)
      return readAll(journal)
    }),
  )
  for (const bytes of outcomes) expect(bytes.equals(expected)).toBe(true)
})

test('random bytes come out as they went in', async () => {
  const source = randomBytes(4 * 1024 * 1024)
  const file = join(mkdtempSync(join(tmpdir(), 'sb-source-')), 'bytes')
  homes.push(join(file, '..'))
  writeFileSync(file, source)
  const { journal, socket } = await hold(`stty raw; sleep 0.3; cat ${file}`, { segmentBytes: 1024 * 1024 })
  const { bytes, exit } = await follow(socket)
  await untilExit(journal)
  expect(digest(readAll(journal))).toBe(digest(source))
  expect(digest(bytes)).toBe(digest(source))
  expect(exit).toMatchObject({ code: 0, signal: null, offset: source.length })
})

test('exit code, signal and what was typed', async () => {
  const { socket, journal } = await hold('read line; echo "got $line"; exit 7')
  const connection = (await connectToHolder(socket))!
  connection.write(Buffer.from('hello\r'))
  expect(await untilExit(journal)).toMatchObject({ code: 7, signal: null })
  expect(readAll(journal).toString()).toContain('got hello')
  const killed = await hold('sleep 100')
  const other = (await connectToHolder(killed.socket))!
  other.signal('SIGTERM')
  expect(await untilExit(killed.journal)).toMatchObject({ code: null, signal: 'SIGTERM' })
})

test('a new size reaches the program', async () => {
  const { socket, journal } = await hold('read line; stty size')
  const connection = (await connectToHolder(socket))!
  connection.resize({ cols: 123, rows: 45 })
  connection.write(Buffer.from('\r'))
  await untilExit(journal)
  expect(readAll(journal).toString()).toContain('45 123')
  expect(readIndex(journal).filter((entry) => entry.is === 'resize')).toMatchObject([
    { offset: 0, cols: 80, rows: 24 },
    { cols: 123, rows: 45 },
  ])
})

test('a viewer that does not read holds nobody up, and catches up from where it was', async () => {
  const { socket, journal } = await hold('sleep 0.3; seq 1 300000')
  const slow = (await connectToHolder(socket))!
  const heard: Buffer[] = []
  const done = new Promise<void>((resolve) => {
    slow.attach(0, {
      onOutput: (_, bytes) => heard.push(Buffer.from(bytes)),
      onResize: () => {},
      onExit: () => {},
      onFault: () => {},
      onClose: resolve,
    })
  })
  slow.pause()
  const fast = await follow(socket)
  expect(fast.bytes.length).toBeGreaterThan(2_000_000)
  expect(Buffer.concat(heard).length).toBeLessThan(fast.bytes.length)
  slow.resume()
  await done
  await untilExit(journal)
  expect(Buffer.concat(heard).equals(fast.bytes)).toBe(true)
})

test('the oldest segments go when the journal is full, and the index tells', async () => {
  const { journal } = await hold('seq 1 400000', { segmentBytes: 256 * 1024, maxBytes: 1024 * 1024 })
  const { offset: end } = await untilExit(journal)
  const { offset, bytes } = readJournal(journal, 0, 10)
  expect(offset).toBeGreaterThan(0)
  expect(bytes.length).toBe(10)
  expect(end - offset).toBeLessThanOrEqual(1024 * 1024)
  expect(readIndex(journal).findLast((entry) => entry.is === 'dropped')).toMatchObject({ firstOffset: offset })
})

test('nobody else may use its socket, and its environment stands nowhere but with the program', async () => {
  const { socket, notice, directory } = await hold('read line', { env: { MY_TOKEN: 'not-for-others' } })
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  const own = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${notice.pid}/${file}`, 'utf8')).join()
  expect(own).not.toContain('not-for-others')
  expect(readFileSync(join(directory, 'holder.json'), 'utf8')).not.toContain('not-for-others')
  // Between fork and exec it still has the holder's own.
  await expect.poll(() => readFileSync(`/proc/${notice.childPid}/environ`, 'utf8')).toContain('not-for-others')
  process.kill(notice.childPid, 'SIGKILL')
})

test('a program that cannot be started is told', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sb-holder-'))
  homes.push(directory)
  const program = { file: '/bin/sh', args: [], cwd: '/nowhere/at/all', env: {}, cols: 80, rows: 24 }
  const journal = { segmentBytes: 1024, maxBytes: 4096 }
  const { socket } = { socket: join(directory, 's.sock') }
  const outcome = startHolder({ version: 'test', socket, directory, journal, program })
  await outcome.then(
    () => expect(readIndex(join(directory, 'journal')).length).toBeGreaterThan(0),
    (error: unknown) => expect(String(error)).toContain('could not be started'),
  )
})

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
