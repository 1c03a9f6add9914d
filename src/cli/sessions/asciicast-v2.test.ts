import { expect, test } from 'vitest'
import { readAsciicast } from './asciicast.ts'
import { toAsciicastV2 } from './asciicast-v2.ts'

const header = {
  version: 3,
  term: { cols: 80, rows: 24, type: 'xterm-256color' },
  timestamp: 1_769_846_400,
  title: 'build',
  command: 'npm test',
}
const events = [
  [0.1, 'o', 'one'],
  [0.2, 'r', '100x30'],
  [0.7, 'o', 'two'],
  [0, 'x', '0'],
]
const version3 = `${[header, ...events].map((line) => JSON.stringify(line)).join('\n')}\n`

test('has the header of version 2, and the times since the start', () => {
  const [head, ...lines] = toAsciicastV2(version3)
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(head).toEqual({
    version: 2,
    width: 80,
    height: 24,
    timestamp: 1_769_846_400,
    title: 'build',
    command: 'npm test',
    env: { TERM: 'xterm-256color' },
  })
  expect(lines).toEqual([
    [0.1, 'o', 'one'],
    [0.3, 'r', '100x30'],
    [1, 'o', 'two'],
  ])
})

test('plays like the original', () => {
  const [before, after] = [readAsciicast(version3, 'a'), readAsciicast(toAsciicastV2(version3), 'b')]
  expect(after.size).toEqual(before.size)
  expect(after.events.map(({ is, data }) => [is, data])).toEqual(
    before.events.filter(({ is }) => is !== 'other').map(({ is, data }) => [is, data]),
  )
})
