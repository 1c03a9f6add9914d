import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test('short arguments have no excerpt', () => {
  expect(excerptOf({})).toBeUndefined()
  expect(excerptOf({ repo: 'main', labels: ['a', 1, null, { deep: true }] })).toBeUndefined()
})

test('the excerpt of long arguments keeps the first part', () => {
  const excerpt = excerptOf({ n: 1, text: 'y'.repeat(1_000_000), more: 'z' })
  expect(excerpt).toEqual({ n: 1, text: expect.stringMatching(/^y{3900,4000}$/) })
  expect(Object.keys(excerptOf({ ['n'.repeat(1_000_000)]: 1 }) ?? {})).toEqual([])
  expect(excerptOf({ list: Array.from({ length: 1_000_000 }, () => 0) })?.['list']).toHaveLength(998)
})

test('an excerpt is always smaller than the arguments and never large', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\0', '"'), minLength: 2_000, maxLength: 6_000 })
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 5 }), fc.oneof(text, fc.array(text, { maxLength: 3 }))),
      (given) => {
        const excerpt = excerptOf(given)
        if (excerpt === undefined) return
        expect(sizeOf(excerpt)).toBeLessThan(sizeOf(given))
        expect(sizeOf(excerpt)).toBeLessThan(30_000)
      },
    ),
    { numRuns: 200 },
  )
})
