import { expect, test } from 'vitest'
import { createPlainLineReader } from './plain-lines.ts'

test('returns a line when it is complete, without colours and cursor movements', () => {
  const reader = createPlainLineReader()
  expect(reader.read(Buffer.from('\x1b[31mone\x1b[0m\r\ntw'))).toEqual(['one'])
  expect(reader.read(Buffer.from('o\t2\r\n\r\nthr'))).toEqual(['two\t2', ''])
  expect(reader.end()).toEqual(['thr'])
})

test('returns the last state of a line that is overwritten', () => {
  const reader = createPlainLineReader()
  expect(reader.read(Buffer.from(' 10%\r 50%\r100%\r\n'))).toEqual(['100%'])
  expect(reader.read(Buffer.from('typp\b\bed\n'))).toEqual(['tyed'])
})

test('reads characters and sequences that arrive in pieces', () => {
  const reader = createPlainLineReader()
  const lines = [...Buffer.from('漢\x1b]0;title\x07字\x1b[1;31m!\n')].flatMap((byte) => reader.read(Buffer.of(byte)))
  expect(lines).toEqual(['漢字!'])
  expect(reader.end()).toEqual([])
})
