import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodePaste } from './paste.ts'

test('a paste is bracketed if the program asked for it, and its lines end with a carriage return', () => {
  expect(encodePaste('Enter -n\tC-c\r\n漢😀\n', { bracketedPaste: false }).toString()).toBe('Enter -n\tC-c\r漢😀\r')
  expect(encodePaste('a\nb', { bracketedPaste: true }).toString()).toBe('\x1b[200~a\rb\x1b[201~')
})

test('no text can end its own bracketed paste', () => {
  const pieces = fc.constantFrom(
    '\x1b',
    '\x9b',
    '[',
    '2',
    '0',
    '1',
    '~',
    '201~',
    '[201~',
    '\x1b[201~',
    '\x1b[200~',
    'rm -rf\r',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const pasted = encodePaste(parts.join(''), { bracketedPaste: true }).toString()
      const inner = pasted.slice('\x1b[200~'.length, -'\x1b[201~'.length)
      for (const bracket of ['\x1b[200~', '\x1b[201~', '\x9b200~', '\x9b201~']) expect(inner).not.toContain(bracket)
      expect(pasted.indexOf('\x1b[201~')).toBe(pasted.length - '\x1b[201~'.length)
    }),
    { numRuns: 2000 },
  )
})
