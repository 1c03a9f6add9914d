import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endProgram, shellLine } from '../../test/worlds/held-program.ts'
import { linesOf, nextLines, testPipedPrograms } from '../../test/fixtures/piped-programs.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import { readHolderInfo } from './holder/holder-info.ts'
import { connectToHolder } from './holder-connection.ts'
import { openPipedProgram } from './piped-program.ts'
import type { PipedProgram } from './terminal.ts'

const mebibyte = 1024 * 1024
/** Prints each line that it reads. */
const echo = 'while read -r line; do echo "<$line>"; done'

describe('output', () => {
  test('is in the journal unchanged, and its end is reported', async () => {
    const program = await testPipedPrograms().start('printf "one\\r\\ntwo\\n\\nfour\\nhalf"; exit 7')
    expect(await linesOf(program)).toEqual(['one', 'two', '', 'four'])
    expect(program.status).toMatchObject({ is: 'exited', code: 7, signal: null, offset: 19 })
    expect(program.readOutput(0, 100).bytes.toString()).toBe('one\r\ntwo\n\nfour\nhalf')
    expect(program.readOutput(15, 2)).toMatchObject({ offset: 15, bytes: Buffer.from('ha') })
  })

  test('on standard error is separate, and its end is kept', async () => {
    const programs = testPipedPrograms()
    const program = await programs.start('echo out; seq 1 300000 >&2; echo more; echo last words >&2')
    expect(await linesOf(program)).toEqual(['out', 'more'])
    const kept = program.stderr()
    expect(kept.length).toBe(256 * 1024)
    expect(kept.toString()).toMatch(/\n299999\n300000\nlast words\n$/)
    expect(sizeOf(program.directory)).toBeLessThan(mebibyte)
    expect((await programs.adopt()).stderr().equals(kept)).toBe(true)
  })

  test('may have a line of 20 MB', async () => {
    const program = await testPipedPrograms().start(`head -c 20000000 /dev/zero | tr '\\0' x; echo; echo next`)
    const [long, next] = await linesOf(program)
    expect(long?.length).toBe(20_000_000)
    expect(next).toBe('next')
  })

  test('may not have a line that would fill the journal', async () => {
    const programs = testPipedPrograms({ segmentBytes: 64 * 1024, maxBytes: mebibyte })
    const program = await programs.start(`echo first; head -c 5000000 /dev/zero | tr '\\0' x`)
    await expect(linesOf(program)).rejects.toMatchObject({ code: 'too-large' })
    expect(await nextLines(program, 1)).toEqual(['first'])
  })

  test('is not lost if no hub reads, because the program is paused', async () => {
    const limits = { segmentBytes: 64 * 1024, maxBytes: mebibyte / 2 }
    const programs = testPipedPrograms(limits)
    const started = await programs.start('seq 1 200000; exit 3')
    started.release()
    await until(() => sizeOf(started.directory) > limits.maxBytes - limits.segmentBytes)

    const program = await programs.adopt()
    expect(program.status.is).toBe('running')
    let count = 0
    let largest = 0
    for await (const { bytes, end } of program.lines(0)) {
      if (bytes.toString() !== String(++count)) throw new Error(`${bytes.toString()} came in place of ${count}`)
      if (count % 5_000 !== 0) continue
      largest = Math.max(largest, sizeOf(program.directory))
      program.processed(end)
    }
    expect(count).toBe(200_000)
    // Besides the output: its index, and what the holder has just read.
    expect(largest).toBeLessThan(limits.maxBytes + 4 * limits.segmentBytes)
    expect(program.status).toMatchObject({ is: 'exited', code: 3, offset: 1_288_895 })
  })

  test('ends with the program, even if a child keeps the pipe open', async () => {
    const program = await testPipedPrograms().start('sleep 1000 & echo $!; exit 4')
    const [pid] = await linesOf(program)
    onTestFinished(() => void process.kill(Number(pid), 'SIGKILL'))
    expect(program.status).toMatchObject({ is: 'exited', code: 4 })
  })
})

describe('input', () => {
  test('is recorded with its place in the output', async () => {
    const programs = testPipedPrograms()
    const program = await programs.start(echo)
    expect(program.input).toEqual({ sequence: 0, unreadBytes: 0, isClosed: false })
    expect(await program.write('one\n', { sequence: 1 })).toBe('recorded')
    expect(await nextLines(program, 1)).toEqual(['<one>'])
    await program.write('zwei ü\n', { sequence: 2 })
    expect(await nextLines(program, 2)).toEqual(['<one>', '<zwei ü>'])
    await program.write('three\n', { sequence: 3 })
    program.closeInput()
    expect(await linesOf(program)).toEqual(['<one>', '<zwei ü>', '<three>'])
    const expected = [
      { sequence: 2, offset: 6, bytes: 8, text: 'zwei ü\n' },
      { sequence: 3, offset: 16, bytes: 6, text: 'three\n' },
    ]
    expect([...program.inputs(1)]).toMatchObject(expected)
    const later = await programs.adopt()
    expect([...later.inputs(0)]).toMatchObject([{ sequence: 1, offset: 0, bytes: 4, text: 'one\n' }, ...expected])
    expect(later.input).toEqual({ sequence: 3, unreadBytes: 0, isClosed: true })
    await expect(later.write('four\n', { sequence: 4 })).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('with a recorded number is ignored, and with a number that is too high is refused', async () => {
    const program = await testPipedPrograms().start(echo)
    const both = [program.write('one\n', { sequence: 1 }), program.write('again\n', { sequence: 1 })]
    expect(await Promise.all(both)).toEqual(['recorded', 'recorded'])
    expect(await program.write('again\n', { sequence: 1 })).toBe('repeated')
    await expect(program.write('three\n', { sequence: 3 })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the next number is 2'),
    })
    await program.write('two\n', { sequence: 2 })
    program.closeInput()
    expect(await linesOf(program)).toEqual(['<one>', '<two>'])
  })

  test('with a recorded number is ignored by the holder, even if a hub sends it again', async () => {
    const programs = testPipedPrograms()
    const program = await programs.start(echo)
    const connection = await connectToHolder(join(programs.directory, 'run', 'p.sock'))
    onTestFinished(() => connection?.close())
    connection!.claimInput()
    for (const [sequence, text] of [
      [1, 'one'],
      [1, 'again'],
      [2, 'two'],
      [1, 'again'],
      [2, 'again'],
    ] as const) {
      connection!.writeRecorded({ sequence, bytes: Buffer.from(`${text}\n`), isSecret: false })
    }
    connection!.closeInput()
    expect(await linesOf(program)).toEqual(['<one>', '<two>'])
    expect([...program.inputs(0)].map(({ text }) => text)).toEqual(['one\n', 'two\n'])
  })

  test('that is secret is recorded with its length only', async () => {
    const program = await testPipedPrograms().start('read -r key; echo "${#key} letters"')
    await program.write('sesame-open-yourself\n', { sequence: 1, secret: true })
    expect(await linesOf(program)).toEqual(['20 letters'])
    const [recorded] = program.inputs(0)
    expect(recorded).toEqual({ sequence: 1, at: expect.any(Number), offset: 0, bytes: 21 })
    for (const path of filesIn(program.directory)) expect(readFileSync(path, 'utf8')).not.toContain('sesame')
  })

  test('may have a line of several MB', async () => {
    const program = await testPipedPrograms().start('cat')
    const line = 'ü'.repeat(3 * mebibyte)
    await program.write(`${line}\n`, { sequence: 1 })
    expect((await nextLines(program, 1))[0] === line).toBe(true)
    expect([...program.inputs(0)][0]?.text === `${line}\n`).toBe(true)
  })

  test('for a program that does not read is limited, and a later hub knows how much is unread', async () => {
    const programs = testPipedPrograms()
    const program = await programs.start('sleep 1000')
    const piece = `${'x'.repeat(mebibyte)}\n`
    let sequence = 0
    const fill = async () => {
      for (;;) await program.write(piece, { sequence: ++sequence })
    }
    await expect(fill()).rejects.toMatchObject({ code: 'busy' })
    expect(program.input.unreadBytes).toBeGreaterThan(6 * mebibyte)
    await expect(program.write('x'.repeat(9 * mebibyte), { sequence })).rejects.toMatchObject({ code: 'too-large' })
    const other = await programs.adopt()
    expect(other.input).toEqual(program.input)
    await expect(other.write(piece, { sequence })).rejects.toMatchObject({ code: 'busy' })
  })

  test('of an earlier hub is ignored after another hub has claimed it', async () => {
    const programs = testPipedPrograms()
    const earlier = await programs.start(echo)
    await earlier.write('one\n', { sequence: 1 })
    const later = await programs.adopt()
    void earlier.write('from the dead\n', { sequence: 2 }).catch(() => {})
    expect(await later.write('two\n', { sequence: 2 })).toBe('recorded')
    await later.write('three\n', { sequence: 3 })
    later.closeInput()
    expect(await linesOf(later)).toEqual(['<one>', '<two>', '<three>'])
    earlier.release()
  })

  test('is sent again after a broken connection, unless it was recorded', async () => {
    const programs = testPipedPrograms()
    const { directory } = await programs.start(echo)
    const socket = join(programs.directory, 'run', 'p.sock')
    const connection = await connectToHolder(socket)
    const program = await openPipedProgram({ id: 'p', directory, socket, connection, maxLineBytes: mebibyte })
    onTestFinished(() => program.release())
    const writes = Array.from({ length: 50 }, (_, index) => program.write(`${index + 1}\n`, { sequence: index + 1 }))
    await writes[9]
    writes.push(program.write('51\n', { sequence: 51 }))
    connection!.close()
    writes.push(program.write('52\n', { sequence: 52 }))
    expect(await Promise.all(writes)).toEqual(Array.from({ length: 52 }, () => 'recorded'))
    program.closeInput()
    expect(await linesOf(program)).toEqual(Array.from({ length: 52 }, (_, index) => `<${index + 1}>`))
  })

  test.runIf(process.platform === 'linux')('is not written if the disk did not record it', async () => {
    const program = await testPipedPrograms().start(echo)
    await program.write('one\n', { sequence: 1 })
    limitFiles(program, 10)
    const refused = [2, 3, 4].map((sequence) => program.write(`never ${sequence}\n`, { sequence }))
    for (const outcome of await Promise.allSettled(refused)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('disk is full') },
      })
    }
    limitFiles(program, 'unlimited')
    await program.write('two\n', { sequence: 2 })
    program.closeInput()
    expect(await linesOf(program)).toEqual(['<one>', '<two>'])
    expect([...program.inputs(0)].map(({ text }) => text)).toEqual(['one\n', 'two\n'])
  })
})

test.runIf(process.platform === 'linux')(
  'a program on pipes is paused while the disk is full, and no output is lost',
  async () => {
    const program = await testPipedPrograms().start('read -r count; seq 1 "$count"')
    limitFiles(program, 4096)
    await program.write('100000\n', { sequence: 1 })
    await until(() => program.fault?.includes('The disk is full'))
    limitFiles(program, 'unlimited')
    expect(await linesOf(program)).toEqual(Array.from({ length: 100_000 }, (_, index) => String(index + 1)))
    expect(program.fault).toContain('No output is lost')
  },
)

describe('a later hub', () => {
  test('reads the output and the end of a program that ended without a hub', async () => {
    const programs = testPipedPrograms()
    const first = await programs.start('read -r line; echo "bye $line"; echo oops >&2; exit 7')
    await first.write('now\n', { sequence: 1 })
    first.release()
    await until(() => readHolderInfo(first.directory)?.exit)
    const program = await programs.adopt()
    expect(program.status).toMatchObject({ is: 'exited', code: 7, signal: null })
    expect(await linesOf(program)).toEqual(['bye now'])
    expect(program.stderr().toString()).toBe('oops\n')
    expect(program.input.sequence).toBe(1)
  })

  test('continues with a living program, from any line', async () => {
    const programs = testPipedPrograms()
    const first = await programs.start(echo)
    await first.write('one\ntwo\n', { sequence: 1 })
    expect(await nextLines(first, 2)).toEqual(['<one>', '<two>'])
    first.release()
    const program = await programs.adopt()
    expect(program.input.sequence).toBe(1)
    await program.write('three\n', { sequence: 2 })
    expect(await nextLines(program, 2, 6)).toEqual(['<two>', '<three>'])
    program.signal('SIGTERM')
    await until(() => program.status.is !== 'running')
    expect(program.status).toMatchObject({ is: 'exited', code: null, signal: 'SIGTERM' })
  })

  test('finds the journal of a holder that was killed', async () => {
    const programs = testPipedPrograms()
    const first = await programs.start(echo)
    await first.write('one\n', { sequence: 1 })
    expect(await nextLines(first, 1)).toEqual(['<one>'])
    const reading = linesOf(first, 6)
    kill(first)
    await until(() => first.status.is === 'lost')
    expect(await reading).toEqual([])
    await expect(first.write('two\n', { sequence: 2 })).rejects.toMatchObject({ code: 'unavailable' })
    const program = await programs.adopt()
    expect(program.status).toEqual({ is: 'lost' })
    expect(await linesOf(program)).toEqual(['<one>'])
    expect(program.input).toEqual({ sequence: 1, unreadBytes: 0, isClosed: true })
    expect([...program.inputs(0)]).toMatchObject([{ sequence: 1, text: 'one\n' }])
  })

  test('adopts no program on pipes as a terminal, and no terminal as a program on pipes', async () => {
    const programs = testPipedPrograms()
    const program = await programs.start(echo)
    const terminals = testTerminals({
      directory: join(programs.directory, 'programs'),
      socketDirectory: join(programs.directory, 'run'),
    })
    expect(await terminals.open().adopt('p')).toBeUndefined()
    await terminals.start('t', shellLine('read line'))
    expect(await programs.open().adopt('t')).toBeUndefined()
    expect(await program.write('still here\n', { sequence: 1 })).toBe('recorded')
    expect(await nextLines(program, 1)).toEqual(['<still here>'])
  })
})

test('a program that cannot be started is an error at once', async () => {
  const { directory, open } = testPipedPrograms()
  const program = { file: join(temporaryDirectory(), 'missing'), args: [], cwd: '/', env: {} }
  await expect(open().start('p', program)).rejects.toThrow(/could not be started: spawn .*missing ENOENT/)
  expect(readdirSync(join(directory, 'run'))).toEqual([])
})

function kill({ status }: PipedProgram): void {
  if (status.is !== 'running') throw new Error('it has ended')
  process.kill(status.holderPid, 'SIGKILL')
  endProgram(status.pid)
}

/** Simulates a full disk: writes fail midway, and work again when the limit is raised. */
function limitFiles({ status }: PipedProgram, bytes: number | 'unlimited'): void {
  if (status.is !== 'running') throw new Error('it has ended')
  execFileSync('prlimit', ['--pid', String(status.holderPid), `--fsize=${bytes}:unlimited`])
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/** Files may disappear while they are listed. */
function sizeOf(directory: string): number {
  return filesIn(directory).reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
}
