/** A file size limit simulates a full disk: writes fail midway, and work again when the limit is raised. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from '../../test/worlds/held-program.ts'
import { shownOn, testTerminals, untilEnded, untilShown } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Terminal } from './live-terminal.ts'

function limitFiles(terminal: Terminal, bytes: number | 'unlimited'): void {
  if (terminal.status.is !== 'running') throw new Error('it has ended')
  execFileSync('prlimit', ['--pid', String(terminal.status.holderPid), `--fsize=${bytes}:unlimited`])
}

/** Prints the number of lines that is typed. */
const printer = shellLine('stty -echo; echo ready; while read count; do seq 1 $count; echo "printed $count"; done')

test.runIf(process.platform === 'linux')('on a full disk the program continues, and a fault is reported', async () => {
  const terminals = testTerminals()
  const terminal = await terminals.start('t', printer)
  await untilShown(terminal, 'ready')
  limitFiles(terminal, 0)
  terminal.write(Buffer.from('100000\r'))
  await untilShown(terminal, 'printed 100000')
  expect(terminal.fault).toContain('The disk is full')

  // Recent output is still in memory. Older output is lost, and the reader is told.
  const { offset } = terminal
  expect(terminal.readOutput(offset - 100, 1000).bytes.toString()).toContain('printed 100000')
  const kept = terminal.readOutput(0, 1_000_000)
  expect(kept).toMatchObject({ offset: 0, droppedBytes: 0 })
  const behind = terminal.readOutput(kept.bytes.length, 1_000_000)
  expect(behind.droppedBytes).toBe(behind.offset - kept.bytes.length)

  // A hub that adopts the terminal now gets the same fault and screen.
  const other = await terminals.adopt('t')
  expect(other.fault).toContain('The disk is full')
  expect(other.offset).toBe(offset)

  limitFiles(terminal, 'unlimited')
  await until(() => {
    terminal.write(Buffer.from('1\r'))
    return terminal.fault?.includes('were shown but not saved')
  })
  terminal.write(Buffer.from('2\r'))
  await untilShown(terminal, 'printed 2')
  const next = terminal.readOutput(kept.bytes.length, 1_000_000)
  expect(next.droppedBytes).toBeGreaterThan(200_000)
  terminal.release()
  const again = await terminals.adopt('t')
  expect(shownOn(again)).toContain('printed 2')
  expect(again.fault).toContain('bytes of output were shown but not saved')
})

test.runIf(process.platform === 'linux')('later hubs know how a program ended on a full disk', async () => {
  const terminals = testTerminals()
  const terminal = await terminals.start('t', shellLine('read line; seq 1 5000; exit 9'))
  limitFiles(terminal, 1024)
  terminal.write(Buffer.from('\r'))
  expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 9 })
  terminal.release()
  const again = await terminals.adopt('t')
  expect(again.status).toMatchObject({ is: 'exited', code: 9 })
  expect(again.offset).toBe(terminal.offset)
  // Output that the disk did not take is lost. Readers are told, before the screen is drawn and afterwards.
  const kept = again.readOutput(0, 1_000_000).bytes.length
  expect(kept).toBeLessThan(terminal.offset)
  const lost = { offset: terminal.offset, bytes: Buffer.alloc(0), droppedBytes: terminal.offset - kept }
  expect(again.readOutput(kept, 1_000_000)).toEqual(lost)
  expect(again.screen.offset).toBe(terminal.offset)
  expect(again.offset).toBe(terminal.offset)
  expect(again.readOutput(kept, 1_000_000)).toEqual(lost)
  const path = join(again.directory, 'session.cast')
  await again.exportRecording(path)
  expect(readFileSync(path, 'utf8').trimEnd().split('\n').slice(-2)).toEqual([
    `[0,"m","${lost.droppedBytes} bytes of output are missing here"]`,
    expect.stringContaining('"x","9"]'),
  ])
  expect(readdirSync(join(again.directory, 'journal')).length).toBeLessThanOrEqual(4)
})

test.runIf(process.platform === 'linux')(
  'an exit that outruns the hub on a full disk still reports the final offset',
  async () => {
    const terminal = await testTerminals().start('t', shellLine('read line; seq 1 500000; exit 9'))
    const { status } = terminal
    if (status.is !== 'running') throw new Error('it has ended')
    limitFiles(terminal, 1024)
    terminal.write(Buffer.from('\r'))
    await until(() => terminal.fault?.includes('The disk is full'))
    // Nothing is read here until the holder has given up waiting for it.
    execFileSync('/bin/sh', ['-c', `until grep -q ') Z' /proc/${status.holderPid}/stat; do sleep 0.05; done`], {
      timeout: 120_000,
    })
    const end = await untilEnded(terminal)
    expect(end).toMatchObject({ is: 'exited', code: 9, offset: terminal.offset })
    expect(terminal.screen.offset).toBe(terminal.offset)
  },
)
