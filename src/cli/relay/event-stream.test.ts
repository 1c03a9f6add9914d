import { expect, test } from 'vitest'
import { readEvents } from './event-stream.ts'

async function eventsIn(...chunks: readonly string[]) {
  const source = async function* (): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  return Array.fromAsync(readEvents(source()))
}

test('data, ids and times to come back are read; what keeps the connection alive is not', async () => {
  expect(
    await eventsIn(': keep-alive\n\nid: 1\nevent: message\nda', 'ta: {"a":1}\n\nid:2\r\ndata:\r\n\r\nretry: 500\n\n'),
  ).toEqual([
    { id: '1', data: '{"a":1}' },
    { id: '2', data: '' },
    { data: '', retryMs: 500 },
  ])
})

test('data over several lines is one text, and an event that was not finished is none', async () => {
  expect(await eventsIn('data: {\ndata: }\n\ndata: half')).toEqual([{ data: '{\n}' }])
})
