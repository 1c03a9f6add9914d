import { expect, test } from 'vitest'
import { createLineReader } from './printed-lines.ts'

test('lines come out when they are finished, without colours and moves', () => {
  const reader = createLineReader()
  expect(reader.read(Buffer.from('\x1b[31mone\x1b[0m\r\ntw'))).toEqual(['one'])
  expect(reader.read(Buffer.from('o\t2\r\n\r\nthr'))).toEqual(['two\t2', ''])
  expect(reader.end()).toEqual(['thr'])
})

test('a line that is written over is what it was last', () => {
  const reader = createLineReader()
  expect(reader.read(Buffer.from(' 10%\r 50%\r100%\r\n'))).toEqual(['100%'])
  expect(reader.read(Buffer.from('typp\b\bed\n'))).toEqual(['tyed'])
})

test('characters and sequences may come in pieces', () => {
  const reader = createLineReader()
  const lines = [...Buffer.from('漢\x1b]0;title\x07字\x1b[1;31m!\n')].flatMap((byte) => reader.read(Buffer.of(byte)))
  expect(lines).toEqual(['漢字!'])
  expect(reader.end()).toEqual([])
})
