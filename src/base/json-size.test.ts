import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExactly } from './exact-numbers.ts'
import { jsonSize } from './json-size.ts'

/** Any JSON, with texts that need no escapes. */
const plainJson = fc
  .jsonValue()
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll(/\\(u[0-9a-f]{4}|.)/g, '')) as unknown)

test('the size of a value is that of its JSON', () => {
  const sizes = fc.property(plainJson, fc.stringMatching(/^[a-zé😀 ]{0,20}$/u), (json, text) => {
    expect(jsonSize({ json, text })).toBe(Buffer.byteLength(JSON.stringify({ json, text })))
  })
  fc.assert(sizes)
})

test('values that JSON leaves out take no space, and a number that is kept digit for digit takes its digits', () => {
  for (const value of [{ a: undefined, b: 1 }, [undefined, 1], {}, [], parseExactly('{"n":12345678901234567890}')]) {
    expect(jsonSize(value)).toBe(JSON.stringify(value).length)
  }
})
