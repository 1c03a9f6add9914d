import { expect, test } from 'vitest'
import type { Evidence } from './decide.ts'
import { decide } from './decide.ts'

const nothing: Evidence = {
  now: 100_000,
  isOver: false,
  report: undefined,
  seen: undefined,
  remembered: undefined,
  hasRules: false,
  printedAt: undefined,
  quietMs: 10_000,
}
const seen = (is: 'working' | 'waiting' | 'idle', since: number) =>
  ({ is, since, source: 'screen', confidence: 0.9 }) as const

test('of a program that has not said or shown anything, nothing is known', () => {
  expect(decide(nothing)).toMatchObject({ is: 'unknown', source: 'none', confidence: 0 })
})

test('what prints works, and what is quiet for long enough is idle, though nobody would swear to it', () => {
  const printing = decide({ ...nothing, printedAt: 95_000 })
  expect(printing).toMatchObject({ is: 'working', source: 'quiet', againAt: 105_000 })
  const quiet = decide({ ...nothing, printedAt: 90_000 })
  expect(quiet).toMatchObject({ is: 'idle', source: 'quiet' })
  expect(quiet.confidence).toBeLessThan(0.5)
})

test('a screen that the rules for it do not know may be anything, however quiet it is', () => {
  expect(decide({ ...nothing, hasRules: true, printedAt: 1 })).toMatchObject({ is: 'unknown', source: 'none' })
})

test('what the screen shows counts more than that it is quiet', () => {
  expect(decide({ ...nothing, printedAt: 1, seen: seen('working', 50_000) })).toMatchObject({
    is: 'working',
    source: 'screen',
    confidence: 0.9,
  })
})

test('the agent’s own word counts most, and carries its reason', () => {
  const report = { is: 'waiting', reason: 'It wants to use Bash', at: 99_900 } as const
  expect(decide({ ...nothing, report, seen: seen('working', 90_000) })).toMatchObject({
    is: 'waiting',
    reason: 'It wants to use Bash',
    source: 'agent',
    confidence: 1,
    isReportSpent: false,
  })
})

test('a screen that turns to work after the agent said it waits is believed at once: the person has answered', () => {
  const report = { is: 'waiting', at: 90_000 } as const
  expect(decide({ ...nothing, report, seen: seen('working', 99_999) })).toMatchObject({
    is: 'working',
    source: 'screen',
    isReportSpent: true,
  })
})

test('a screen that turns idle after the agent said it works is believed if that lasts: nobody tells of an interrupt', () => {
  const report = { is: 'working', at: 90_000 } as const
  const turned = decide({ ...nothing, report, seen: seen('idle', 98_500) })
  expect(turned).toMatchObject({ is: 'working', source: 'agent', againAt: 100_500 })
  const lasting = decide({ ...nothing, now: 100_500, report, seen: seen('idle', 98_500) })
  expect(lasting).toMatchObject({ is: 'idle', source: 'screen', isReportSpent: true })
})

test('a screen that shows what it showed before says nothing against the agent’s word', () => {
  const report = { is: 'waiting', at: 10_000 } as const
  expect(decide({ ...nothing, report, seen: seen('working', 9_999) })).toMatchObject({ is: 'waiting', source: 'agent' })
})

test('without a rule that knows the screen, the agent’s word stands', () => {
  const report = { is: 'working', at: 1 } as const
  expect(decide({ ...nothing, report, printedAt: 2 })).toMatchObject({ is: 'working', source: 'agent' })
})

test('a program that has ended does nothing any more, whatever was said before', () => {
  const report = { is: 'working', at: 99_999 } as const
  expect(decide({ ...nothing, isOver: true, report, seen: seen('waiting', 1) })).toMatchObject({
    is: 'idle',
    source: 'exit',
    confidence: 1,
    isReportSpent: true,
  })
})
