import { expect, test, vi } from 'vitest'
import { readArguments } from './arguments.ts'
import { defineCommand } from './command.ts'
import { readTime } from './time-flag.ts'

const command = defineCommand({
  about: '',
  flags: { since: { takes: 'TIME', about: '' } },
  examples: [],
  run: async () => 'ok' as const,
})

test.each([
  ['90s', '2026-01-31T07:58:30.000Z'],
  ['1h', '2026-01-31T07:00:00.000Z'],
  ['7d', '2026-01-24T08:00:00.000Z'],
  ['2026-01-30T08:00:00Z', '2026-01-30T08:00:00.000Z'],
  ['2026-01-30T08:00:00+02:00', '2026-01-30T06:00:00.000Z'],
  ['2026-01-30', '2026-01-30T00:00:00.000Z'],
])('%s at 2026-01-31T08:00:00Z means %s', (text, expected) => {
  vi.setSystemTime('2026-01-31T08:00:00Z')
  expect(timeOf(text)).toBe(expected)
  vi.useRealTimers()
})

test.each(['then', '1', '1 hour', '2026-13-01', ''])('"%s" is not a time', (text) => {
  expect(() => timeOf(text)).toThrow('--since takes a time such as')
})

function timeOf(text: string): string | undefined {
  return readTime(readArguments('events', command, [`--since=${text}`]), 'since')
}
