import { expect, test } from 'vitest'
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
