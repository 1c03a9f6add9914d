import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Answer } from '../../test/worlds/terminal-toolbox.ts'
import { openToolbox, toCall } from '../../test/worlds/terminal-toolbox.ts'
import { screenWith } from '../../test/fixtures/screen-with.ts'
import { encodeOutput } from './encode-output.ts'

const now = { timeout_ms: 0 }

test('output is read from an offset, piece by piece, each byte once', async () => {
  const box = await openToolbox('seq 1 2000; printf END; exec cat')
  await box.call('wait_for', { for: 'text', value: 'END' })
  const expected = `${Array.from({ length: 2000 }, (_, index) => `${index + 1}\r\n`).join('')}END`
  let text = ''
  for (let since = 0; since < expected.length;) {
    const piece = await box.call('read_output', { since, max_bytes: 1_024 })
    expect(piece).toMatchObject({ encoding: 'utf8', offset: since, size: { cols: 80, rows: 24 } })
    text += piece.data
    since = piece.next_offset
  }
  expect(text).toBe(expected)
  expect(await box.call('read_output', { since: -3 })).toMatchObject({ data: 'END', next_offset: expected.length })
  expect(await box.call('read_output', { ...now })).toMatchObject({ data: expected, offset: 0 })
})

test('the answer contains the data once, as text', async () => {
  const box = await openToolbox('printf ONLY-ONCE; exec cat')
  await box.call('wait_for', { for: 'text', value: 'ONLY-ONCE' })
  const tool = box.people.findTool('read_output')!
  const result = await box.people.callTool(tool, { session: 's1' }, toCall())
  expect(JSON.stringify(result).split('ONLY-ONCE')).toHaveLength(2)
  expect(tool.outputSchema).toBeUndefined()
})

test('a reader at the end waits for more output', async () => {
  const box = await openToolbox('stty -echo; printf ready; read line; printf more; exec cat')
  const { offset } = await box.call('wait_for', { for: 'text', value: 'ready' })
  const waiting = box.call('read_output', { since: offset })
  await box.call('send_text', { text: '\n' })
  expect(await waiting).toMatchObject({ data: expect.stringMatching(/^m/), offset })
})

test('a read without new output times out and keeps its offset', async () => {
  const box = await openToolbox('printf ready; exec cat')
  const { offset } = await box.call('wait_for', { for: 'text', value: 'ready' })
  expect(await box.call('read_output', { since: offset, timeout_ms: 5 })).toEqual({
    data: '',
    encoding: 'utf8',
    offset,
    next_offset: offset,
    size: { cols: 80, rows: 24 },
  })
})

test('readers wake up for a resize, a new writer and the end, and for changes between two reads', async () => {
  const box = await openToolbox('stty -echo; printf ready; read line')
  const { offset: since } = await box.call('wait_for', { for: 'text', value: 'ready' })
  const poll = () => box.call('read_output', { since, viewer: 'anna' })
  await box.call('read_output', { since, viewer: 'anna', ...now })

  const first = poll()
  await box.call('resize', { cols: 90, rows: 30 })
  expect(await first).toMatchObject({ data: '', size: { cols: 90, rows: 30 } })

  const second = poll()
  await box.call('claim_input', { viewer: 'anna' })
  expect(await second).toMatchObject({ data: '', writer: 'anna' })

  await box.call('claim_input', { viewer: 'ben', take_over: true })
  expect(await poll()).toMatchObject({ data: '', writer: 'ben' })

  const last = poll()
  await box.call('send_text', { text: '\n' })
  expect(await last).toMatchObject({ data: '', ended: true })
  expect(await poll()).toMatchObject({ data: '', ended: true, next_offset: since })
})

test('a reader that stops at the end has read everything', async () => {
  const box = await openToolbox('seq 1 400000; printf END')
  const hash = createHash('sha256')
  let since = 0
  for (;;) {
    const { data, next_offset, ended } = await box.call<Answer & { ended?: boolean }>('read_output', { since })
    hash.update(data)
    if (ended && next_offset === since) break
    since = next_offset
  }
  const expected = `${Array.from({ length: 400_000 }, (_, index) => `${index + 1}\r\n`).join('')}END`
  expect(since).toBe(expected.length)
  expect(hash.digest('hex')).toBe(createHash('sha256').update(expected).digest('hex'))
})

test('bytes that are not UTF-8 come as base64', async () => {
  const box = await openToolbox(`printf 'caf\\303\\251 \\377\\376 x'; exec cat`)
  await box.until(() => box.terminal.offset === 10)
  const { data, encoding, next_offset } = await box.call('read_output', now)
  expect(encoding).toBe('base64')
  expect(Buffer.from(data, 'base64')).toEqual(Buffer.from('caf\xc3\xa9 \xff\xfe x', 'latin1'))
  expect(next_offset).toBe(10)
})

test('an incomplete character waits for its rest', async () => {
  const box = await openToolbox(`stty -echo; printf 'a\\342\\202'; read line; printf '\\254b'; exec cat`)
  await box.until(() => box.terminal.offset === 3)
  const first = await box.call('read_output', now)
  expect(first).toMatchObject({ data: 'a', encoding: 'utf8', next_offset: 1 })
  const waiting = box.call('read_output', { since: 1 })
  await box.call('send_text', { text: '\n' })
  expect(await waiting).toMatchObject({ data: '€b', encoding: 'utf8', offset: 1, next_offset: 5 })
})

test('an incomplete character is returned after the program has ended', async () => {
  const box = await openToolbox(`printf 'a\\342\\202'`)
  await box.call('wait_for', { for: 'exit' })
  const { data, encoding, next_offset } = await box.call('read_output', now)
  expect([Buffer.from(data, encoding), next_offset]).toEqual([Buffer.from('a\xe2\x82', 'latin1'), 3])
})

test('a read reports how many bytes are no longer kept', async () => {
  const box = await openToolbox('seq 1 200000; printf END; exec cat', { maxBytes: 256 * 1024 })
  await box.call('wait_for', { for: 'text', value: 'END' })
  const { dropped, offset, data } = await box.call('read_output', { since: 100 })
  expect(dropped).toBeGreaterThan(0)
  expect(offset).toBe(100 + dropped)
  expect(data.length).toBeGreaterThan(0)
})

test('a snapshot draws the screen and its scrollback, and the output continues from its offset', async () => {
  const program = `seq 1 100; printf '\\033[1;31mred\\033[0m'; read line; echo; echo after; exec cat`
  const box = await openToolbox(`stty -echo; ${program}`)
  await box.call('wait_for', { for: 'text', value: 'red' })
  const { snapshot, offset, next_offset, size } = await box.call('read_output', { snapshot: true, viewer: 'anna' })
  expect([next_offset, size]).toEqual([offset, { cols: 80, rows: 24 }])
  await box.call('send_text', { text: '\n' })
  await box.call('wait_for', { for: 'text', value: 'after' })
  const { data } = await box.call('read_output', { since: offset, ...now })
  using drawn = await screenWith(Buffer.from(snapshot + data), { size })
  const { screen } = box.terminal
  expect(drawn.rows().map((row) => row.runs())).toEqual(screen.rows().map((row) => row.runs()))
  expect(drawn.scrollback().map(({ text }) => text)).toEqual(screen.scrollback().map(({ text }) => text))
})

test('a snapshot inside an escape sequence waits for the end of the sequence', async () => {
  const box = await openToolbox(`stty -echo; printf 'seen\\033['; read line; printf '1mbold'; exec cat`)
  await box.until(() => box.terminal.offset === 6)
  const waiting = box.call('read_output', { snapshot: true })
  await box.call('send_text', { text: '\n' })
  const { snapshot, offset } = await waiting
  expect(snapshot).toContain('seen')
  expect(offset).toBeGreaterThan(6)
})

test('a screen without a possible snapshot is drawn from its output', async () => {
  const box = await openToolbox(`printf 'seen\\033['; exec sleep 1000`)
  await box.until(() => box.terminal.offset === 6)
  expect(await box.call('read_output', { snapshot: true })).toMatchObject({ snapshot: '', offset: 0, next_offset: 0 })
})

test('invalid arguments are explained', async () => {
  const box = await openToolbox('exec cat')
  expect(await box.failure('read_output', { since: 500 })).toBe(
    '"since" (500) is past the end of the output (0). It may belong to an earlier session of this name. Start again at 0.',
  )
  expect(await box.failure('read_output', { viewer: '' })).toContain('"viewer"')
  expect(await box.failure('read_output', { viewer: 'x'.repeat(65) })).toContain('"viewer"')
  expect(await box.failure('read_output', { max_bytes: 10 })).toContain('"max_bytes"')
})

test('a caller that cancels a read gets the news with its next read', async () => {
  const box = await openToolbox('printf ready; exec cat')
  const { offset: since } = await box.call('wait_for', { for: 'text', value: 'ready' })
  await box.call('read_output', { since, viewer: 'anna', ...now })
  const leaving = new AbortController()
  const poll = box.call('read_output', { since, viewer: 'anna' }, { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await expect(poll).rejects.toThrow('gone')
  await box.call('claim_input', { viewer: 'anna' })
  expect(await box.call('read_output', { since, viewer: 'anna' })).toMatchObject({ writer: 'anna' })
})

test.each([
  ['', 'utf8', 0],
  ['abc', 'utf8', 3],
  ['a\xc3', 'utf8', 1],
  ['a\xe2\x82', 'utf8', 1],
  ['a\xf0\x9f\x98', 'utf8', 1],
  ['a\xf0\x9f\x98\x80', 'utf8', 5],
  ['\x80\x80\x80', 'base64', 3],
  ['a\xc3b', 'base64', 3],
  ['a\xff', 'base64', 2],
])('the bytes %j are encoded as %s, %i of them', (bytes, encoding, length) => {
  expect(encodeOutput(Buffer.from(bytes, 'latin1'), { isLast: false })).toMatchObject({ encoding, length })
})
