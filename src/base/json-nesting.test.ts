import { expect, test } from 'vitest'
import { hasMoreValues, isNestedDeeper } from './json-nesting.ts'

const nested = (levels: number) => '{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2)

test('accepts a text at the limit and rejects one level more', () => {
  expect(isNestedDeeper(nested(100), 100)).toBe(false)
  expect(isNestedDeeper(`[${nested(100)}]`, 100)).toBe(true)
})

test('does not count brackets side by side or inside strings as depth', () => {
  expect(isNestedDeeper(`[${'[],{},'.repeat(1000)}0]`, 100)).toBe(false)
  expect(isNestedDeeper(JSON.stringify({ a: '['.repeat(1000), b: '\\"{'.repeat(1000) }), 100)).toBe(false)
})

test('values are counted outside of strings, at all depths', () => {
  const values = { a: [1, 'x,[{\\",', null], b: { c: { d: true } } }
  const text = JSON.stringify(values)
  expect(hasMoreValues(text, 8)).toBe(false)
  expect(hasMoreValues(text, 7)).toBe(true)
  expect(hasMoreValues(JSON.stringify(','.repeat(1_000)), 1)).toBe(false)
  expect(hasMoreValues(`[${'0,'.repeat(1_000)}0]`, 1_000)).toBe(true)
})
