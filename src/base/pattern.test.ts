import { expect, test } from 'vitest'
import { longestTurn } from '../../test/fixtures/longest-turn.ts'
import { compilePattern } from './pattern.ts'

const compile = (source: string, ignoreCase = false) => compilePattern(source, { ignoreCase })

test.each([
  ['(?:a|b|ab|ba|aa|bb){900}[0-9]', /expands to \d+ steps; at most 500 are allowed\. Lower its repetition counts/],
  ['(?:(?:a|b){31}){32}', /expands to \d+ steps/],
  [`(?:${'\\pL'.repeat(300)}){1000}`, /expands to \d+ steps/],
  [`(?i)${'[B-\\x{1E942}]'.repeat(31)}`, /has 31 character classes; at most 30 are allowed where case does not matter/],
  ['x'.repeat(1_001), /has 1001 characters; at most 1000/],
])('refuses a pattern that is too large: %s', async (source, message) => {
  await compile('warm|up')
  // The first pattern also loads the parser's tables.
  const turn = await longestTurn(() => expect(compile(source)).rejects.toThrow(message))
  expect(turn).toBeLessThan(150)
})

test.each([
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  '^https?://[\\w.-]{1,200}(?::\\d{1,5})?/',
  '\\Q({900}\\E|[({}900)]{3}|\\{900\\}',
  '[]{900}]x|[^]{900}]y|[[:alpha:]{900}]z',
])('accepts an ordinary pattern: %s', async (source) => {
  expect((await compile(source)).size).toBeLessThan(500)
})

test('takes linear time for a pattern that reaches a new state with each character', async () => {
  const pattern = await compile('a[ab]{100}[0-9]')
  let seed = 1
  const next = () => (seed = (seed * 48_271) % 2_147_483_647)
  const text = Array.from({ length: 38_000 }, () => 'ab'[next() & 1]).join('')
  expect(await longestTurn(async () => expect(pattern.test(text)).toBe(false))).toBeLessThan(400)
})
