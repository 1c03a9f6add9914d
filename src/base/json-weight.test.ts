import { expect, test, vi } from 'vitest'
import { whyTooHeavy } from './json-weight.ts'

const weigh = (text: string) => whyTooHeavy(Buffer.from(text))
const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(',')}]`

test.each([
  ['elements', list(200_001, '1'), /more than 200000 keys/],
  ['objects', list(150_000, '{}'), /more than 200000 keys/],
  ['keys', `{${list(200_001, '"a":1').slice(1, -1)}}`, /more than 200000 keys/],
  ['levels', '['.repeat(201), /deeper than 200 levels/],
  ['blanks', `[${' '.repeat(4_000_001)}]`, /outside of its texts/],
])('a text with too many %s is too heavy', (_what, text, why) => {
  expect(weigh(text)).toMatch(why)
})

test.each([
  ['a long text', `{"a":"${'x'.repeat(5_000_000)}"}`],
  ['a text that looks like JSON', JSON.stringify({ a: list(300_000, '{}') })],
  ['escaped quotes', JSON.stringify({ a: '"[{,\\'.repeat(300_000) })],
  ['long texts that end in backslashes', list(1_000, JSON.stringify(`${'x'.repeat(200)}${'\\'.repeat(7)}`))],
  ['many elements', list(190_000, '1')],
  ['a text without an end', `{"a":"${',['.repeat(300_000)}`],
])('%s is not', (_what, text) => {
  expect(weigh(text)).toBe(undefined)
})

test('each byte of a text is searched a few times, however many backslashes come before its end', () => {
  const bytes = Buffer.from(`"${`${'x'.repeat(66)}\\\\`.repeat(10_000)}`)
  const { mock } = vi.spyOn(bytes, 'indexOf')
  whyTooHeavy(bytes)
  const ends = mock.results.map(({ value }) => (value < 0 ? bytes.length : Number(value)))
  const searched = ends.reduce((sum, end, call) => sum + end - Number(mock.calls[call]?.[1]), 0)
  expect(searched).toBeLessThan(4 * bytes.length)
})
