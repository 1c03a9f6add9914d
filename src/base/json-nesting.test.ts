import { expect, test } from 'vitest'
import { isNestedDeeper } from './json-nesting.ts'

const nested = (levels: number) => '{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2)

test('what has as many levels as it may is not too deep, and one more is', () => {
  expect(isNestedDeeper(nested(100), 100)).toBe(false)
  expect(isNestedDeeper(`[${nested(100)}]`, 100)).toBe(true)
})

test('many brackets side by side, or inside strings, are no depth', () => {
  expect(isNestedDeeper(`[${'[],{},'.repeat(1000)}0]`, 100)).toBe(false)
  expect(isNestedDeeper(JSON.stringify({ a: '['.repeat(1000), b: '\\"{'.repeat(1000) }), 100)).toBe(false)
})
