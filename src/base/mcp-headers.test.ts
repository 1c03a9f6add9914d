import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHeader, encodeHeader, faultInMarks } from './mcp-headers.ts'

test('encodes every value as plain ASCII that decodes to the same value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const written = encodeHeader(value)
      expect(written).toMatch(/^[\x20-\x7e]*$/)
      expect(decodeHeader(written)).toBe(value)
    }),
    { examples: [[''], [' a '], ['=?base64?YQ==?='], ['a\nb'], ['Größe']] },
  )
})

test('leaves plain names readable', () => {
  expect(encodeHeader('read_screen')).toBe('read_screen')
  expect(encodeHeader('resource://sessions/a b')).toBe('resource://sessions/a b')
})

const marked = (mark: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': mark })

test.each([
  [{ a: marked('') }, 'is not a header name'],
  [{ a: marked('My Region') }, 'is not a header name'],
  [{ a: marked('Region:Primary') }, 'is not a header name'],
  [{ a: marked('Région') }, 'is not a header name'],
  [{ a: marked('Region\t1') }, 'is not a header name'],
  [{ a: marked(7) }, 'is not a header name'],
  [{ a: marked('A', 'number') }, 'does not mark a string, integer or boolean'],
  [{ a: marked('A', 'object') }, 'does not mark a string, integer or boolean'],
  [{ a: marked('A', ['string', 'null']) }, 'does not mark a string, integer or boolean'],
  [{ a: marked('A'), b: { type: 'object', properties: { c: marked('a') } } }, 'appears twice'],
  [{ a: marked('A'), b: marked('B', 'integer'), c: marked('C', 'boolean'), d: { type: 'number' } }, undefined],
])('finds in the marks of %j: %s', (properties, fault) => {
  expect(faultInMarks({ type: 'object', properties })).toBe(fault)
})
