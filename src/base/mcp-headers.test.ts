import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHeader, encodeHeader, faultInMarks } from './mcp-headers.ts'

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

const marked = (mark: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': mark })

test.each([
  [{ a: marked('') }, 'is no name of a header'],
  [{ a: marked('My Region') }, 'is no name of a header'],
  [{ a: marked('Region:Primary') }, 'is no name of a header'],
  [{ a: marked('Région') }, 'is no name of a header'],
  [{ a: marked('Region\t1') }, 'is no name of a header'],
  [{ a: marked(7) }, 'is no name of a header'],
  [{ a: marked('A', 'number') }, 'marks no string, integer or boolean'],
  [{ a: marked('A', 'object') }, 'marks no string, integer or boolean'],
  [{ a: marked('A', ['string', 'null']) }, 'marks no string, integer or boolean'],
  [{ a: marked('A'), b: { type: 'object', properties: { c: marked('a') } } }, 'is there twice'],
  [{ a: marked('A'), b: marked('B', 'integer'), c: marked('C', 'boolean'), d: { type: 'number' } }, undefined],
])('the marks of %j: %s', (properties, fault) => {
  expect(faultInMarks({ type: 'object', properties })).toBe(fault)
})
