import { expect, test } from 'vitest'
import { isNestedDeeper } from './json-nesting.ts'

const nested = (levels: number) => '{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2)

test('accepts a text at the limit and rejects one level more', () => {
  expect(isNestedDeeper(nested(100), 100)).toBe(false)
  expect(isNestedDeeper(`[${nested(100)}]`, 100)).toBe(true)
})

test('does not count brackets side by side or inside strings as depth', () => {
  expect(isNestedDeeper(`[${'[],{},'.repeat(1000)}0]`, 100)).toBe(false)
  expect(isNestedDeeper(JSON.stringify({ a: '['.repeat(1000), b: '\\"{'.repeat(1000) }), 100)).toBe(false)
})
