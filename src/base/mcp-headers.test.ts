import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHeader, encodeHeader } from './mcp-headers.ts'

test('whatever is written into a header can be read back, and is plain ASCII there', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const written = encodeHeader(value)
      expect(written).toMatch(/^[\x20-\x7e]*$/)
      expect(decodeHeader(written)).toBe(value)
    }),
    { examples: [[''], [' a '], ['=?base64?YQ==?='], ['a\nb'], ['Größe']] },
  )
})

test('plain names stay readable', () => {
  expect(encodeHeader('read_screen')).toBe('read_screen')
  expect(encodeHeader('resource://sessions/a b')).toBe('resource://sessions/a b')
})
