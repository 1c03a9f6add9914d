import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inexactNumber, isRawNumber, longestExactText, parseExactly, plainNumber } from './exact-numbers.ts'
import { isRecord } from './is-record.ts'
import { createRedactor } from './redact.ts'

test.each(['1234567890123456789', '-9007199254740993', '1152921504606846976', '1e400', '-1.5E+0999', '9'.repeat(400)])(
  'finds %s and writes it as it was read',
  (number) => {
    const text = `{"n":[${number}],"name":"a"}`
    expect(inexactNumber(text)).toBe(number)
    expect(JSON.stringify(parseExactly(text))).toBe(text)
  },
)

test.each(['9007199254740991', '9007199254740994', '1e21', '1.5e-400', '0.30000000000000004', '1700000000000000'])(
  'parses %s as an ordinary number',
  (number) => {
    const text = `{"n": ${number}}`
    expect(inexactNumber(text)).toBeUndefined()
    expect(parseExactly(text)).toEqual({ n: Number(number) })
  },
)

test('ignores digits inside strings', () => {
  const text = JSON.stringify({ a: 'n": 1234567890123456789, 1e400', '\\" : 1234567890123456789': '\\' })
  expect(inexactNumber(text)).toBeUndefined()
  expect(inexactNumber(`${text.slice(0, -1)},"b": 1234567890123456789}`)).toBe('1234567890123456789')
})

test('refuses a text that is too long to parse exactly only if a number in it would change', () => {
  const long = JSON.stringify('x'.repeat(longestExactText))
  expect(parseExactly(`[1, ${long}]`)).toHaveLength(2)
  expect(() => parseExactly(`[1234567890123456789, ${long}]`)).toThrow(
    /1234567890123456789, which JavaScript would change/,
  )
})

test('parses everything else as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.stringify(value)
      const { beside } = parseExactly(`{"n":1234567890123456789,"beside":${plain}}`) as { beside: unknown }
      expect(JSON.stringify(beside)).toBe(plain)
    }),
  )
})

describe('a raw number', () => {
  const raw = (parseExactly('[12345678901234567890]') as unknown[])[0]

  test('is not a record', () => {
    expect(isRawNumber(raw)).toBe(true)
    expect(isRecord(raw)).toBe(false)
  })

  test('converts to a JavaScript number', () => {
    expect(plainNumber(raw)).toBe(Number('12345678901234567890'))
    expect(plainNumber('12')).toBe('12')
  })

  test('is recorded by its digits', () => {
    expect(createRedactor().value({ data: { id: raw } })).toEqual({ data: { id: '12345678901234567890' } })
  })
})
