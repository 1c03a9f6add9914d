/** A limit on the size of files stands for a full disk: writing fails in the middle, and works again when it is raised. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from '../../test/fixtures/held-program.ts'
import { shownOn, testTerminals, untilEnded, untilShown } from '../../test/fixtures/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Terminal } from './terminal.ts'

function limitFiles(terminal: Terminal, bytes: number | 'unlimited'): void {
  if (terminal.life.is !== 'running') throw new Error('it has ended')
  execFileSync('prlimit', ['--pid', String(terminal.life.holderPid), `--fsize=${bytes}:unlimited`])
}

/** Prints as many lines as are typed. */
const printer = shellLine('stty -echo; echo ready; while read count; do seq 1 $count; echo "printed $count"; done')

test.runIf(process.platform === 'linux')('on a full disk the program goes on, and people are told', async () => {
  const terminals = testTerminals()
  const terminal = await terminals.start('t', printer)
  await untilShown(terminal, 'ready')
  limitFiles(terminal, 0)
  terminal.write(Buffer.from('100000\r'))
  await untilShown(terminal, 'printed 100000')
  expect(terminal.fault).toContain('The disk is full')

  // What the viewers have, nobody has to read from disk; what is older is gone, and told.
  const { offset } = terminal
  expect(terminal.readOutput(offset - 100, 1000).bytes.toString()).toContain('printed 100000')
  const kept = terminal.readOutput(0, 1_000_000)
  expect(kept).toMatchObject({ offset: 0, droppedBytes: 0 })
  const behind = terminal.readOutput(kept.bytes.length, 1_000_000)
  expect(behind.droppedBytes).toBe(behind.offset - kept.bytes.length)

  // A hub that comes now is told too, and shows what is known.
  const other = await terminals.adopt('t')
  expect(other.fault).toContain('The disk is full')
  expect(other.offset).toBe(offset)

  limitFiles(terminal, 'unlimited')
  await until(() => {
    terminal.write(Buffer.from('1\r'))
    return terminal.fault?.includes('were shown, but not kept')
  })
  terminal.write(Buffer.from('2\r'))
  await untilShown(terminal, 'printed 2')
  const next = terminal.readOutput(kept.bytes.length, 1_000_000)
  expect(next.droppedBytes).toBeGreaterThan(200_000)
  terminal.release()
  const again = await terminals.adopt('t')
  expect(shownOn(again)).toContain('printed 2')
  expect(again.fault).toContain('bytes of output were shown, but not kept')
})

test.runIf(process.platform === 'linux')('an end on a full disk is known to later hubs', async () => {
  const terminals = testTerminals()
  const terminal = await terminals.start('t', shellLine('read line; seq 1 5000; exit 9'))
  limitFiles(terminal, 1024)
  terminal.write(Buffer.from('\r'))
  expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 9 })
  terminal.release()
  const again = await terminals.adopt('t')
  expect(again.life).toMatchObject({ is: 'exited', code: 9 })
  expect(again.offset).toBe(terminal.offset)
  expect(readdirSync(join(again.directory, 'journal')).length).toBeLessThanOrEqual(4)
})
