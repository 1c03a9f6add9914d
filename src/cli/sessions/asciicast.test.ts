import { expect, test } from 'vitest'
import { readAsciicast } from './asciicast.ts'

const v3 = [
  '{"version": 3, "term": {"cols": 100, "rows": 30}, "timestamp": 1}',
  '# a comment',
  '[0.5, "o", "hé\\r\\n"]',
  '[0.25, "r", "80x24"]',
  '[1, "i", "typed"]',
  '[0.001, "x", "0"]',
  '',
].join('\n')

test('reads the times of version 3 as intervals', () => {
  expect(readAsciicast(v3, 'a.cast')).toEqual({
    size: { cols: 100, rows: 30 },
    events: [
      { afterMs: 500, is: 'output', data: 'hé\r\n' },
      { afterMs: 250, is: 'resize', data: '80x24' },
      { afterMs: 1000, is: 'other', data: 'typed' },
      { afterMs: 1, is: 'other', data: '0' },
    ],
  })
})

test('reads the times of version 2 as times since the start', () => {
  const { size, events } = readAsciicast('{"version":2,"width":80,"height":24}\n[1,"o","a"]\n[1.5,"o","b"]\n', 'a.cast')
  expect(size).toEqual({ cols: 80, rows: 24 })
  expect(events.map(({ afterMs }) => afterMs)).toEqual([1000, 500])
})

test.each([
  ['', 'a.cast is not a recording: its first line'],
  ['{"version": 1}', 'a.cast is not a recording: its first line does not match version 2 or 3'],
  [`${v3}[1,"o"`, 'a.cast is damaged: line 7'],
  [`${v3}{"an": "object"}`, 'a.cast is damaged: line 7 does not match version 2 or 3'],
])('refuses a file that is not a recording: %j', (text, message) => {
  expect(() => readAsciicast(text, 'a.cast')).toThrow(message)
})
