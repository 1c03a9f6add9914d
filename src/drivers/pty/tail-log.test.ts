import { expect, test } from 'vitest'
import { until } from '../../../test/fixtures/until.ts'
import { shellLine } from '../../../test/worlds/held-program.ts'
import { testTerminals, untilEnded } from '../../../test/worlds/terminals.ts'
import type { TerminalsOptions } from '../../terminal/terminal.ts'
import { tailLog } from './tail-log.ts'

/** A terminal whose program has ended, adopted from its journal or as the test saw it end. */
async function ended(
  command: string,
  options: Partial<TerminalsOptions> & { cols?: number; isAdopted?: boolean } = {},
) {
  const { cols = 40, isAdopted = true, ...more } = options
  const terminals = testTerminals(more)
  const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' }
  const program = { file: '/bin/sh', args: ['-c', command], cwd: '/', env, cols, rows: 5 }
  const terminal = await terminals.start('t1', program)
  await untilEnded(terminal)
  return isAdopted ? terminals.adopt('t1') : terminal
}

test('returns the last lines without the blank rows below them', async () => {
  const terminal = await ended('seq 1 100; echo; echo end')
  expect(await tailLog(terminal, 3, false)).toMatchObject({ log: '100\n\nend', lines: 3, offset: terminal.offset })
  expect(await tailLog(terminal, 3, true)).toMatchObject({ log: '100\r\n\r\nend\r\n', lines: 3 })
  expect((await tailLog(terminal, 10_000, false)).lines).toBe(102)
  expect((await tailLog(terminal, 10_000, true)).lines).toBe(102)
})

test('a wrapped line is one line, with the blank at the wrap', async () => {
  const terminal = await ended(`printf '%s\\n' 'four five six' 'last'`, { cols: 5 })
  expect(await tailLog(terminal, 2, false)).toMatchObject({ log: 'four five six\nlast', lines: 2 })
})

test.each([false, true])(
  'lines that are no longer in memory come from the journal (adopted: %s)',
  async (isAdopted) => {
    const terminal = await ended('seq 1 500', { scrollbackLines: 50, isAdopted })
    const { log, lines } = await tailLog(terminal, 400, false)
    expect(lines).toBe(400)
    expect(log.split('\n')[0]).toBe('101')
    expect((await tailLog(terminal, 20, false)).log.split('\n')).toHaveLength(20)
  },
)

test('raw lines are complete across two journal segments', async () => {
  const journal = { segmentBytes: 10_000, maxBytes: 1024 * 1024 }
  const terminal = await ended('seq 1 20000', { journal })
  const { log } = await tailLog(terminal, 10_000, true)
  expect(log.trimEnd().split('\r\n').map(Number)).toEqual(Array.from({ length: 10_000 }, (_, index) => 10_001 + index))
})

test('raw output is never cut inside a character', async () => {
  // One line that is longer than the limit, then an incomplete character.
  const terminal = await ended(`yes ✓ | head -n 400000 | tr -d '\\n'; printf '\\342\\234'`)
  const { log, lines } = await tailLog(terminal, 10, true)
  expect(lines).toBe(1)
  expect(log.length).toBeGreaterThan(100_000)
  expect(log.replaceAll('✓', '')).toBe('')
})

test('raw lines keep their line endings', async () => {
  const terminal = await ended(`stty -onlcr; printf 'a\\nb\\r\\nc\\r\\r\\nd'`)
  expect((await tailLog(terminal, 10, true)).log).toBe('a\nb\r\nc\r\r\nd')
  expect((await tailLog(terminal, 2, true)).log).toBe('c\r\r\nd')
})

test('escape codes are removed unless raw output is requested', async () => {
  const terminal = await ended(`printf '\\033[31mred\\033[0m\\n'`)
  expect((await tailLog(terminal, 10, false)).log).toBe('red')
  expect((await tailLog(terminal, 10, true)).log).toBe('\x1b[31mred\x1b[0m\r\n')
})

test('a program that printed nothing has no lines', async () => {
  const terminal = await ended('true')
  for (const isRaw of [false, true]) {
    expect(await tailLog(terminal, 10, isRaw)).toEqual({ log: '', lines: 0, offset: 0 })
  }
})

test('raw lines come from before the gap if output was lost at the end', async () => {
  const terminal = await ended('seq 1 10')
  const lost = 50_000_000_000
  const readOutput: typeof terminal.readOutput = (since, maxBytes) => {
    const kept = terminal.readOutput(since, maxBytes)
    return kept.bytes.length > 0 ? kept : { ...kept, offset: lost, droppedBytes: lost - since }
  }
  const gapped = { ...terminal, screen: terminal.screen, firstOffset: 0, offset: lost, readOutput }
  expect(await tailLog(gapped, 2, true)).toEqual({ log: '9\r\n10\r\n', lines: 2, offset: lost })
})

test('what an earlier hub has not drawn is drawn in slices, so that others have their turn', async () => {
  const terminals = testTerminals()
  const flood = `awk 'BEGIN { for (n = 0; n < 20000; n++) printf "\\033c"; print "the end" }'`
  const first = await terminals.start('t', { ...shellLine(flood), cols: 300, rows: 40 })
  first.release()
  await until(async () => (await terminals.open().adopt('t'))?.status.is === 'exited')
  const second = await terminals.adopt('t')
  let turns = 0
  let next = setImmediate(function count() {
    turns += 1
    next = setImmediate(count)
  })
  expect((await tailLog(second, 1, true)).log).toMatch(/the end\r\n$/)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(100)
})
