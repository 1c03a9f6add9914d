import { expect, test } from 'vitest'
import { overridesOf, textsOf } from '../../web/session/configure/override-fields.ts'
import { fromWords, toWords } from '../../web/session/configure/words.ts'

test.each([
  [[], ''],
  [['--db', 'staging'], '--db staging'],
  [['two words', '', 'a"b', String.raw`back\slash`], String.raw`"two words" "" "a\"b" "back\\slash"`],
])('the words %j are the line %j and back', (words, line) => {
  expect(fromWords(words)).toBe(line)
  expect(toWords(line)).toEqual(words)
})

test('a line may have quotes as in a shell', () => {
  expect(toWords(String.raw`--name='a b' c\ d "e"f`)).toEqual(['--name=a b', 'c d', 'ef'])
})

test('overrides are texts and back, and options without a field stay', () => {
  const overrides = {
    args: ['-x', 'two words'],
    headers: { 'X-Team': 'a: b' },
    strict: false,
    options: { env: { LEVEL: 'a=b' }, call_ms: 5_000, era: 'modern' as const },
  }
  expect(overridesOf(textsOf(overrides), overrides)).toEqual(overrides)
  expect(() => overridesOf({ call_ms: 'soon' }, {})).toThrow('"soon" is not a number of milliseconds.')
  expect(() => overridesOf({ headers: 'no colon' }, {})).toThrow('Write name:value.')
})
