import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { longestTurn } from '../../test/fixtures/longest-turn.ts'
import { createPlainText } from './plain-text.ts'

test.each([
  [
    'colours and titles',
    '\x1b[1;31mred\x1b[0m\x1b]0;title\x07 and \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\',
    'red and link',
  ],
  ['ends of lines', 'a\r\nb\r\r\nc\rd\n', 'a\nb\nc\nd\n'],
  ['moves to the right', 'a\x1b[3Cb\x1b[Cc', 'a   b c'],
  ['other moves', 'a\x1b[5;1Hb\x1b[2Kc\x1b[Ad', 'a\nbc\nd'],
  ['other control characters', 'a\x07b\x00c\x0ed\te\x7f', 'abcd\te'],
  ['charsets and other escapes', '\x1b(Ba\x1b7\x1b=b\x1bMc', 'ab\nc'],
  ['other strings', 'a\x1bP1;2|x\x1b\\b\x1b_apc\x1b\\c', 'abc'],
  ['moves that are too long', 'a\x1b[999999999Cb', `a${' '.repeat(500)}b`],
])('turns %s into plain text', (_, printed, plain) => {
  expect(createPlainText().take(Buffer.from(`${printed}.`))).toBe(`${plain}.`)
})

test('the result does not depend on how the output was split', () => {
  const bytes = readFileSync(new URL('../../test/recordings/vim.raw', import.meta.url))
  const whole = createPlainText().take(bytes)
  const pieces = createPlainText()
  let text = ''
  for (let at = 0; at < bytes.length; at += 7) text += pieces.take(bytes.subarray(at, at + 7))
  expect(text).toBe(whole)
  expect(whole.length).toBeGreaterThan(1000)
  // oxlint-disable-next-line no-control-regex
  expect(whole).not.toMatch(/[\x00-\x08\x0b-\x1f]/)
})

test('an escape string without an end is not kept, and its content is not text', () => {
  const plain = createPlainText()
  expect(plain.take(Buffer.from('a\x1b]52;c;'))).toBe('a')
  for (let count = 0; count < 100; count++) expect(plain.take(Buffer.alloc(10_000, 'x'))).toBe('')
  expect(plain.take(Buffer.from('\x07b'))).toBe('b')
})

test('a long run of carriage returns does not block the hub', async () => {
  const bytes = Buffer.from(`${'\r'.repeat(64 * 1024)}x`)
  expect(await longestTurn(async () => expect(createPlainText().take(bytes)).toBe('\nx'))).toBeLessThan(1_000)
})
