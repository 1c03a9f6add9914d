import fc from 'fast-check'
import { expect, test } from 'vitest'
import { faultOfGlob, matchesGlob } from './glob.ts'

test.each([
  ['github_get_issue', 'github_get_issue', true],
  ['github_get_*', 'github_get_issue', true],
  ['github_get_*', 'github_get_', true],
  ['github_get_*', 'github_list', false],
  ['*_delete_*', 'a_delete_b', true],
  ['*_delete_*', 'a_b', false],
  ['*', '', true],
  ['**', 'anything', true],
  ['?', 'a', true],
  ['?', '', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a?c', 'a\u{1F600}c', true],
  ['a??c', 'a\u{1F600}c', false],
  ['a.c', 'abc', false],
  ['GitHub_*', 'github_get', false],
  ['get', 'github_get', false],
  ['*a*b', 'aXbXab', true],
])('matches %s against "%s": %s', (pattern, name, expected) => {
  expect(matchesGlob(pattern, name)).toBe(expected)
})

test('matches the same names as an equivalent regular expression', () => {
  const letters = (alphabet: readonly string[]) =>
    fc.array(fc.constantFrom(...alphabet), { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(letters(['a', 'b', '*', '?']), letters(['a', 'b', '_']), (pattern, name) => {
      const expression = pattern.replaceAll('*', '.*').replaceAll('?', '.')
      expect(matchesGlob(pattern, name)).toBe(new RegExp(`^${expression}$`, 's').test(name))
    }),
    { numRuns: 2_000 },
  )
})

test('matches a pattern with many stars against a long name quickly', () => {
  // An equivalent regular expression would not finish in a lifetime.
  expect(matchesGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(20_000))).toBe(false)
})

test('refuses the pattern syntax of other programs, because here it would match nothing', () => {
  for (const pattern of ['', 'a{b,c}', '[ab]_*', 'a|b', 'github get', '!x', 'x'.repeat(300)]) {
    expect(faultOfGlob(pattern), pattern).toBeDefined()
  }
  for (const pattern of ['github_get_*', '*', 'a?b', 'x.y-z/1:2']) expect(faultOfGlob(pattern)).toBeUndefined()
})
