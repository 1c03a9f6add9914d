import { expect, test } from 'vitest'
import { pieceCutter } from './pieces.ts'

const usual = { cols: 120, rows: 40 }
const largest = { cols: 500, rows: 300 }

test.each([
  ['insert lines', '\x1b[999L'],
  ['a reset', '\x1bc'],
  ['the alternate screen', '\x1b[?1049h\x1b[?1049l'],
  ['a sequence after C1', '\u009b999S'],
  ['a repeated character', 'x\x1b[99999b'],
])('a piece holds few sequences such as %s', (_, sequence) => {
  const count = (size: typeof usual) =>
    pieceOf(sequence, size).toString('utf8').replaceAll('\u009b', '\x1b').split('\x1b').length - 1
  expect(count(usual)).toBeLessThanOrEqual(21)
  expect(count(largest)).toBeLessThanOrEqual(1)
})

test('a piece holds few line feeds, which may each move a region of the screen', () => {
  expect(pieceOf('\n', usual).length).toBeLessThanOrEqual(2_500)
  expect(pieceOf('\n', largest).length).toBeLessThanOrEqual(334)
})

test('a piece holds few characters that may each move the rest of their line', () => {
  const text = 'x'.repeat(40_000)
  const cut = pieceCutter(usual)
  expect(cut(Buffer.from(text), 0)).toBeGreaterThan(30_000)
  expect(cut(Buffer.from(text), 0, true)).toBeLessThan(1_000)
  expect(cut(Buffer.from(`\x1b[4h${text}`), 0)).toBeLessThan(1_000)
})

test('a piece holds few sequences that move many short lines', () => {
  expect(pieceOf('\x1b[999L', { cols: 2, rows: 300 }).length).toBeLessThan(20)
})

test.each([
  ['plain text', `${'x'.repeat(78)}\r\n`],
  ['coloured text', '\x1b[32mgreen text\x1b[0m and more of it after that\r\n'],
])('a piece holds much of %s', (_, text) => {
  expect(pieceOf(text, usual).length).toBeGreaterThan(8_000)
})

test('pieces cover all bytes', () => {
  const bytes = Buffer.from('\x1b[999L\n\x1b[1mtext\u009b'.repeat(1_000))
  const cut = pieceCutter(usual)
  let at = 0
  for (let end = 0; at < bytes.length; at = end) {
    end = cut(bytes, at)
    expect(end).toBeGreaterThan(at)
  }
  expect(at).toBe(bytes.length)
})

function pieceOf(sequence: string, size: typeof usual): Buffer {
  const bytes = Buffer.from(sequence.repeat(40_000))
  return bytes.subarray(0, pieceCutter(size)(bytes, 0))
}
