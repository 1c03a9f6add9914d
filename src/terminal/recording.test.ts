import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from '../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilEnded, untilShown } from '../../test/worlds/terminals.ts'
import { openJournalWriter } from './journal/journal-writer.ts'
import { exportRecording } from './recording.ts'

type Event = readonly [number, 'o' | 'r' | 'm' | 'x', string]

/** As strict as the specification: a header, then arrays of interval, code and text, and nothing else. */
function parse(path: string): { readonly header: Record<string, unknown>; readonly events: readonly Event[] } {
  const text = readFileSync(path, 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  const [header, ...events] = text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  expect(header).toMatchObject({ version: 3, term: { cols: expect.any(Number), rows: expect.any(Number) } })
  for (const event of events) {
    expect(event).toEqual([expect.any(Number), expect.stringMatching(/^[ormx]$/), expect.any(String)])
    const [interval, code, data] = event as Event
    expect(interval).toBeGreaterThanOrEqual(0)
    if (code === 'r') expect(data).toMatch(/^\d+x\d+$/)
    if (code === 'x') expect(data).toMatch(/^\d+$/)
    expect(data.isWellFormed()).toBe(true)
  }
  return { header: header as Record<string, unknown>, events: events as readonly Event[] }
}

function outputOf(events: readonly Event[]): string {
  return events.flatMap(([, code, data]) => (code === 'o' ? [data] : [])).join('')
}

test('a recording has the output, the resizes and the end in order', async () => {
  const terminal = await testTerminals().start('t', shellLine('echo one; read line; stty size; exit 3'))
  await untilShown(terminal, 'one')
  terminal.resize({ cols: 100, rows: 30 })
  terminal.write(Buffer.from('\r'))
  await untilEnded(terminal)
  const path = join(temporaryDirectory(), 'session.cast')
  const { bytes } = await terminal.exportRecording(path)
  const { header, events } = parse(path)
  expect(readFileSync(path).length).toBe(bytes)
  expect(header).toEqual({
    version: 3,
    term: { cols: 80, rows: 24, type: 'xterm-256color' },
    timestamp: expect.any(Number) as number,
  })
  expect(outputOf(events)).toBe('one\r\n\r\n30 100\r\n')
  expect(events.findIndex(([, code]) => code === 'r')).toBe(1)
  expect(events.at(-1)).toEqual([expect.any(Number), 'x', '3'])
})

test('a recording of a running program has no end', async () => {
  const terminal = await testTerminals().start('t', shellLine('echo one; read line'))
  await untilShown(terminal, 'one')
  const path = join(temporaryDirectory(), 'session.cast')
  await terminal.exportRecording(path)
  expect(parse(path).events.map(([, code]) => code)).toEqual(['o'])
})

test('intervals add up to the time of the output', async () => {
  let time = 1_700_000_000_000
  const directory = join(temporaryDirectory(), 'journal')
  const limits = { segmentBytes: 1000, maxBytes: 100_000 }
  const journal = openJournalWriter({ directory, limits, size: { cols: 80, rows: 24 }, now: () => time })
  for (let line = 0; line < 100; line++) {
    time += 333
    journal.append(Buffer.from(`${line}\r\n`))
  }
  time += 1000
  const exit = { offset: journal.offset, code: null, signal: 'SIGTERM' }
  journal.recordExit(exit)
  journal.close()
  const path = join(temporaryDirectory(), 'session.cast')
  await exportRecording(directory, path, { end: exit.offset, exit })
  const { header, events } = parse(path)
  expect(header['timestamp']).toBe(1_700_000_000)
  expect(events.reduce((sum, [interval]) => sum + interval, 0)).toBeCloseTo(34.3)
  expect(events[0]).toEqual([0.333, 'o', '0\r\n'])
  expect(events.at(-1)).toEqual([1, 'x', '143'])
})

test('characters across slices and segments are complete, and invalid bytes are replaced', async () => {
  const directory = join(temporaryDirectory(), 'journal')
  const limits = { segmentBytes: 100, maxBytes: 10_000_000 }
  let time = 0
  const journal = openJournalWriter({ directory, limits, size: { cols: 80, rows: 24 }, now: () => (time += 30) })
  const text = '\ufeffé漢😀"\\\u0000\u001b[31m'.repeat(20)
  for (const byte of Buffer.from(text)) journal.append(Buffer.from([byte]))
  journal.append(Buffer.from([0xff, 0x41, 0xe6, 0xbc]))
  const exit = { offset: journal.offset, code: 0, signal: null }
  journal.recordExit(exit)
  journal.close()
  const path = join(temporaryDirectory(), 'session.cast')
  await exportRecording(directory, path, { end: exit.offset, exit })
  expect(outputOf(parse(path).events)).toBe(`${text}\ufffdA\ufffd`)
})

test('missing output is marked at its place: at the beginning, in the middle and at the end', async () => {
  const directory = join(temporaryDirectory(), 'journal')
  let time = 0
  const now = () => (time += 1000)
  const limits = { segmentBytes: 200, maxBytes: 2000 }
  const journal = openJournalWriter({ directory, limits, size: { cols: 80, rows: 24 }, now })
  for (let line = 0; line < 50; line++) journal.append(Buffer.from(`${line} ${'x'.repeat(100)}\r\n`))
  // A file in place of the folder, so that no user can create anything in it.
  const elsewhere = `${directory}-elsewhere`
  renameSync(directory, elsewhere)
  writeFileSync(directory, '')
  while (journal.append(Buffer.from('as much as the open segment takes\r\n')));
  journal.append(Buffer.from('lost'))
  rmSync(directory)
  renameSync(elsewhere, directory)
  journal.append(Buffer.from('behind\r\n'))
  journal.close()

  const exit = { offset: journal.offset + 1234, code: 4, signal: null }
  const path = join(temporaryDirectory(), 'session.cast')
  await exportRecording(directory, path, { end: exit.offset, exit })
  const { events } = parse(path)
  const { firstOffset: dropped, lostBytes: lost } = journal
  expect(dropped).toBeGreaterThan(0)
  expect(events.filter(([, code]) => code === 'm').map(([, , label]) => label)).toEqual([
    `${dropped} bytes of output are missing here`,
    `${lost} bytes of output are missing here`,
    '1234 bytes of output are missing here',
  ])
  expect(events[0]![1]).toBe('m')
  expect(events.slice(-4).map(([, code, data]) => [code, data])).toEqual([
    ['m', `${lost} bytes of output are missing here`],
    ['o', 'behind\r\n'],
    ['m', '1234 bytes of output are missing here'],
    ['x', '4'],
  ])
})

test('an export to a path that cannot be written is an error', async () => {
  const terminal = await testTerminals().start('t', shellLine('echo one; read line'))
  await untilShown(terminal, 'one')
  await expect(terminal.exportRecording('/no/such/place/session.cast')).rejects.toThrow('ENOENT')
})
