import { expect, test } from 'vitest'
import { applyDiff } from './apply-diff.ts'

const source = 'one\ntwo\nthree\n'

test('applies changes at the place that the context gives', () => {
  expect(applyDiff(source, ' one\n+and a half\n-two\n+2\n', 'a.ts')).toBe('one\nand a half\n2\nthree\n')
})

test('refuses a diff whose context is found nowhere or twice, and names the file', () => {
  expect(() => applyDiff(source, ' four\n+five\n', 'a.ts')).toThrow('a.ts')
  expect(() => applyDiff(`${source}two\n`, ' two\n+2\n', 'a.ts')).toThrow('2 times')
})
