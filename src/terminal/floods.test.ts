/** A program that prints what takes long to draw. Its screen goes on with the end; its journal has everything. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from '../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilEnded, untilShown } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Terminal } from './terminal.ts'

/** 10 microseconds for each byte: all of it would take half a minute. */
const bytes = 3_000_000
const flood = Buffer.from('\x1b[9999S\x1b[9999L\x1b[?1049h\x1b[?1049l'.repeat(bytes / 30))
/** Drawing a second of it, and its end. */
const maxDrawingMs = 6_000

function floodFile(): string {
  const file = join(temporaryDirectory(), 'flood')
  writeFileSync(file, flood)
  return file
}

test('a screen that is behind leaves out the middle, says so, and loses no byte', async () => {
  const file = floodFile()
  const terminal = await testTerminals().start('t', shellLine(`stty raw -echo; cat ${file}; echo the end; read line`))
  await untilShown(terminal, 'the end')
  expect(terminal.fault).toMatch('The screen left out some output')
  expect(terminal.screen.drawingMs).toBeLessThan(maxDrawingMs)
  expect(allOutput(terminal).equals(Buffer.concat([readFileSync(file), Buffer.from('the end\n')]))).toBe(true)
})

test('the end of a program is known before its output is drawn, and then only the end of the output is drawn', async () => {
  const terminal = await testTerminals().start('t', shellLine(`stty raw -echo; cat ${floodFile()}; echo the end`))
  await until(() => terminal.status.is === 'exited')
  await untilEnded(terminal)
  await untilShown(terminal, 'the end')
  expect(terminal.screen.offset).toBe(flood.length + 'the end\n'.length)
  expect(terminal.screen.drawingMs).toBeLessThan(maxDrawingMs)
  expect(allOutput(terminal).length).toBe(terminal.offset)
})

test('a later hub draws only the end, too', async () => {
  const terminals = testTerminals()
  const first = await terminals.start('t', shellLine(`stty raw -echo; cat ${floodFile()}; echo the end`))
  first.release()
  await until(async () => (await terminals.open().adopt('t'))?.status.is === 'exited')
  const second = await terminals.adopt('t')
  expect(second.screen.text()).toContain('the end')
  expect(second.screen.drawingMs).toBeLessThan(maxDrawingMs)
})

test('lines above the screen that take too long to draw are refused with a reason', async () => {
  const terminal = await testTerminals().start('t', shellLine(`stty raw -echo; cat ${floodFile()}; echo the end`))
  await untilEnded(terminal)
  await expect(terminal.history()).rejects.toThrow(/take too long to draw: \d+ bytes of output are left/)
})

function allOutput(terminal: Terminal): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const { offset, bytes: part } = terminal.readOutput(at, 1024 * 1024)
    if (part.length === 0) return Buffer.concat(parts)
    expect(offset).toBe(at)
    parts.push(part)
    at += part.length
  }
}
