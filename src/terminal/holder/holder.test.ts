import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { connectTo, follow, hold, readAll, shellLine, untilExit } from '../../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { until } from '../../../test/fixtures/until.ts'
import { readIndexes, readJournal } from '../journal/journal.ts'
import { startHolder } from '../start-holder.ts'
import { readHolderInfo } from './holder-info.ts'

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('output', () => {
  test('short commands that run at once lose no byte', async () => {
    const expected = Buffer.from(`${Array.from({ length: 2000 }, (_, index) => `${index + 1}\r\n`).join('')}END\r\n`)
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const held = await hold('seq 1 2000; echo END')
        await untilExit(held)
        return readAll(held.journal)
      }),
    )
    expect(outcomes.filter((bytes) => !bytes.equals(expected))).toEqual([])
  })

  test('random bytes arrive unchanged', async () => {
    const source = randomBytes(8 * 1024 * 1024)
    const file = join(temporaryDirectory(), 'bytes')
    writeFileSync(file, source)
    const held = await hold(`stty raw -echo; cat ${file}; read line`, { segmentBytes: 1024 * 1024 })
    const connection = await connectTo(held)
    const followed = follow(connection)
    await until(() => readAll(held.journal).length === source.length)
    connection.write(Buffer.from('\n'))
    const { bytes, exit } = await followed
    expect(digest(readAll(held.journal))).toBe(digest(source))
    expect(digest(bytes)).toBe(digest(source))
    expect(exit).toMatchObject({ code: 0, signal: null, offset: source.length })
  })

  test('a viewer that does not read delays no other viewer, and catches up later', async () => {
    const held = await hold('read line; seq 1 300000')
    const slow = await connectTo(held)
    let received = 0
    slow.listen({
      onOutput: (_, bytes) => (received += bytes.length),
      onResize: () => {},
      onExit: () => {},
      onFault: () => {},
      onClose: () => {},
    })
    slow.attach(0)
    slow.pause()
    const quick = await connectTo(held)
    const followed = follow(quick)
    quick.write(Buffer.from('\r'))
    const { bytes } = await followed
    expect(bytes.length).toBeGreaterThan(2_000_000)
    expect(received).toBeLessThan(bytes.length)
    slow.resume()
    await until(() => received === bytes.length)
    expect(readAll(held.journal).equals(bytes)).toBe(true)
  })

  test('a full journal drops its oldest segments together with their indexes', async () => {
    const held = await hold('seq 1 400000', { segmentBytes: 256 * 1024, maxBytes: 1024 * 1024 })
    const { offset: end } = await untilExit(held)
    const { offset, bytes } = readJournal(held.journal, 0, 10)
    expect(offset).toBeGreaterThan(0)
    expect(bytes.length).toBe(10)
    expect(end - offset).toBeLessThanOrEqual(1024 * 1024)
    expect(readIndexes(held.journal, { kinds: ['begin'] })[0]).toMatchObject({ offset, cols: 80, rows: 24 })
  })
})

describe('the program', () => {
  test('gets its input, and its exit code is reported', async () => {
    const held = await hold('read line; echo "got $line"; exit 7')
    const connection = await connectTo(held)
    connection.write(Buffer.from('hello\r'))
    expect(await untilExit(held)).toMatchObject({ code: 7, signal: null })
    expect(readAll(held.journal).toString()).toContain('got hello')
  })

  test('gets a signal, which is reported as its end', async () => {
    const held = await hold('sleep 100')
    const connection = await connectTo(held)
    connection.signal('SIGTERM')
    expect(await untilExit(held)).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  test('gets a new size, and the index records the offset of the change', async () => {
    const held = await hold('read line; stty size')
    const connection = await connectTo(held)
    connection.resize({ cols: 123, rows: 45 })
    connection.write(Buffer.from('\r'))
    await untilExit(held)
    expect(readAll(held.journal).toString()).toContain('45 123')
    expect(readIndexes(held.journal, { kinds: ['begin', 'resize'] })).toMatchObject([
      { is: 'begin', offset: 0, cols: 80, rows: 24 },
      { is: 'resize', offset: 0, cols: 123, rows: 45 },
    ])
  })

  test('ends at once with the reason if it cannot be started', async () => {
    const directory = temporaryDirectory()
    const socket = join(directory, 's.sock')
    const program = { ...shellLine('true'), file: '/no/such/program' }
    await startHolder({ version: 'test', socket, directory, journal: { segmentBytes: 4096, maxBytes: 8192 }, program })
    expect((await untilExit({ directory })).code).not.toBe(0)
    expect(readAll(join(directory, 'journal')).toString()).toContain('No such file')
  })

  test('leaves neither a process nor a socket behind when it ends', async () => {
    const held = await hold('true')
    await untilExit(held)
    await until(() => !isAlive(held.info.pid))
    expect(isAlive(held.info.childPid)).toBe(false)
    expect(statSync(held.socket, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('is not started if its socket path is too long', async () => {
    const directory = temporaryDirectory()
    const socket = join(directory, 'x'.repeat(120))
    const marker = join(directory, 'started')
    const program = shellLine(`echo > ${marker}`)
    const journal = { segmentBytes: 4096, maxBytes: 8192 }
    await expect(startHolder({ version: 'test', socket, directory, journal, program })).rejects.toThrow(
      'could not be started',
    )
    expect(statSync(marker, { throwIfNoEntry: false })).toBeUndefined()
    expect(readHolderInfo(directory)).toBeUndefined()
  })
})

test('only its user may use the socket, and only the program gets the environment', async () => {
  const { socket, info, directory } = await hold('read line', { env: { MY_TOKEN: 'not-for-others' } })
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  const own = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${info.pid}/${file}`, 'utf8')).join()
  expect(own).not.toContain('not-for-others')
  expect(readFileSync(join(directory, 'holder.json'), 'utf8')).not.toContain('not-for-others')
  // Between fork and exec the child still has the holder's environment.
  await until(() => readFileSync(`/proc/${info.childPid}/environ`, 'utf8').includes('not-for-others'))
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
