import { expect, test } from 'vitest'
import { cpuMs } from './cpu-ms.ts'
import { createEventReader, eventsIn } from './event-stream.ts'

async function readAll(...chunks: readonly (string | Buffer)[]) {
  const retries: number[] = []
  const body = async function* (): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const events = await Array.fromAsync(eventsIn(body(), (ms) => retries.push(ms)))
  return { events: events.map(({ id, data }) => [id, data]), retries }
}

test('data, ids and reconnection times are read, and comments are passed over', async () => {
  expect(
    await readAll(': keep-alive\n\nid: 1\nevent: message\nda', 'ta: {"a":1}\n\nid:2\r\ndata:\r\n\r\nretry: 500\n\n'),
  ).toEqual({
    events: [
      ['1', '{"a":1}'],
      ['2', ''],
    ],
    retries: [500],
  })
})

test('data over several lines is one text, and an unfinished event is not read', async () => {
  expect((await readAll('data: {\ndata: }\n\ndata: half')).events).toEqual([[undefined, '{\n}']])
})

test('a character that two chunks share is read whole', async () => {
  const bytes = Buffer.from('data: ü\n\n')
  expect((await readAll(bytes.subarray(0, 7), bytes.subarray(7))).events).toEqual([[undefined, 'ü']])
})

test('an event that is larger than the limit is refused', () => {
  const read = createEventReader({ onEvent: () => {} }, 100)
  const feed = () => read(Buffer.from(`data: ${'x'.repeat(40)}`))
  feed()
  expect(feed).not.toThrow()
  expect(feed).toThrow('more than 100 bytes in one message')
})

test('an event of more lines than the limit is refused, and many events are not', () => {
  const lines = Buffer.from('data:\r'.repeat(10_000))
  const read = createEventReader({ onEvent: () => {} })
  const feed = () => read(lines)
  for (let time = 0; time < 9; time++) feed()
  expect(() => [feed(), feed(), feed()]).toThrow('more than 100000 lines')
  const readHalves = createEventReader({ onEvent: () => {} })
  const halves = ['da', 'ta:\n'].map((half) => Buffer.from(half))
  readHalves(Buffer.from(`data:${'x'.repeat(70_000)}\n`))
  expect(() => {
    for (let line = 0; line < 100_010; line++) for (const half of halves) readHalves(half)
  }).toThrow('more than 100000 lines')
  const readMany = createEventReader({ onEvent: () => {} })
  const events = Buffer.from('data: x\n\n'.repeat(10_000))
  for (let time = 0; time < 20; time++) readMany(events)
})

test('lines end with a carriage return, a line feed or both, wherever the chunks are cut', async () => {
  const text = 'data: a\r\rdata: b\r\n\r\ndata: c\n\n:\rdata: d\r\n\n'
  for (let cut = 0; cut < text.length; cut++) {
    const { events } = await readAll(text.slice(0, cut), text.slice(cut))
    expect(events.map(([, data]) => data)).toEqual(['a', 'b', 'c', 'd'])
  }
})

test('the time for lines does not depend on how many follow in their chunk', () => {
  for (const line of ['\r', ':\r', 'x\r', 'x\n', 'data:\r']) {
    const short = cpuOf(line.repeat(2_000), 32)
    const long = cpuOf(line.repeat(64_000), 1)
    expect(long, JSON.stringify(line)).toBeLessThan(8 * short + 20)
  }
})

/** Milliseconds of CPU to read a text so many times. */
function cpuOf(text: string, times: number): number {
  const read = createEventReader({ onEvent: () => {} })
  const chunk = Buffer.from(text)
  const before = cpuMs()
  for (let time = 0; time < times; time++) read(chunk)
  return cpuMs() - before
}
