import { expect, test } from 'vitest'
import { applyDiff } from './apply-diff.ts'

const source = 'one\ntwo\nthree\n'

test('lines are put where the context says', () => {
  expect(applyDiff(source, ' one\n+and a half\n-two\n+2\n', 'a.ts')).toBe('one\nand a half\n2\nthree\n')
})

test('a diff that fits nowhere, or in two places, is refused by name', () => {
  expect(() => applyDiff(source, ' four\n+five\n', 'a.ts')).toThrow('a.ts')
  expect(() => applyDiff(`${source}two\n`, ' two\n+2\n', 'a.ts')).toThrow('2 times')
})
