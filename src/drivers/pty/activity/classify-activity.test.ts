import { expect, test } from 'vitest'
import type { Evidence } from './classify-activity.ts'
import { classifyActivity } from './classify-activity.ts'

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
  ({ is, since, source: 'screen', confidence: 0.9, isReasonSpecific: true }) as const

test('a program without reports and output is unknown', () => {
  expect(classifyActivity(nothing)).toMatchObject({ is: 'unknown', source: 'none', confidence: 0 })
})

test('a program is working while it prints and idle after a quiet time, both with low confidence', () => {
  const printing = classifyActivity({ ...nothing, printedAt: 95_000 })
  expect(printing).toMatchObject({ is: 'working', source: 'quiet', againAt: 105_000 })
  const quiet = classifyActivity({ ...nothing, printedAt: 90_000 })
  expect(quiet).toMatchObject({ is: 'idle', source: 'quiet' })
  expect(quiet.confidence).toBeLessThan(0.5)
})

test('a screen that matches no rule is unknown, even if it is quiet', () => {
  expect(classifyActivity({ ...nothing, hasRules: true, printedAt: 1 })).toMatchObject({
    is: 'unknown',
    source: 'none',
  })
})

test('the screen counts more than quiet time', () => {
  expect(classifyActivity({ ...nothing, printedAt: 1, seen: seen('working', 50_000) })).toMatchObject({
    is: 'working',
    source: 'screen',
    confidence: 0.9,
  })
})

test('the agent’s own report counts most, and its reason is used', () => {
  const report = { is: 'waiting', reason: 'It wants to use Bash', at: 99_900 } as const
  expect(classifyActivity({ ...nothing, report, seen: seen('working', 90_000) })).toMatchObject({
    is: 'waiting',
    reason: 'It wants to use Bash',
    source: 'agent',
    confidence: 1,
    isReportSpent: false,
  })
})

test('a reason on the screen beats the agent’s own only if it is more specific', () => {
  const report = { is: 'waiting', reason: 'It wants to use Bash', at: 99_900 } as const
  const shown = { ...seen('waiting', 99_950), reason: 'It wants to run: ls' }
  expect(classifyActivity({ ...nothing, report, seen: shown })).toMatchObject({
    reason: 'It wants to run: ls',
    source: 'agent',
  })
  const asked = { ...shown, reason: 'Do you want to proceed?', isReasonSpecific: false }
  expect(classifyActivity({ ...nothing, report, seen: asked })).toMatchObject({ reason: 'It wants to use Bash' })
  const withoutReason = { is: 'waiting', at: 99_900 } as const
  expect(classifyActivity({ ...nothing, report: withoutReason, seen: asked })).toMatchObject({
    reason: 'Do you want to proceed?',
  })
  expect(classifyActivity({ ...nothing, report, seen: seen('waiting', 1) })).toMatchObject({
    reason: 'It wants to use Bash',
  })
})

test('a screen that starts working after a report of waiting counts at once, because the person has answered', () => {
  const report = { is: 'waiting', at: 90_000 } as const
  expect(classifyActivity({ ...nothing, report, seen: seen('working', 99_999) })).toMatchObject({
    is: 'working',
    source: 'screen',
    isReportSpent: true,
  })
})

test('a screen that stays idle after a report of working counts, because agents do not report an interrupt', () => {
  const report = { is: 'working', at: 90_000 } as const
  const turned = classifyActivity({ ...nothing, report, seen: seen('idle', 98_500) })
  expect(turned).toMatchObject({ is: 'working', source: 'agent', againAt: 100_500 })
  const lasting = classifyActivity({ ...nothing, now: 100_500, report, seen: seen('idle', 98_500) })
  expect(lasting).toMatchObject({ is: 'idle', source: 'screen', isReportSpent: true })
})

test('a screen that has not changed since the report does not contradict it', () => {
  const report = { is: 'waiting', at: 10_000 } as const
  expect(classifyActivity({ ...nothing, report, seen: seen('working', 9_999) })).toMatchObject({
    is: 'waiting',
    source: 'agent',
  })
})

test('the report counts if no rule matches the screen', () => {
  const report = { is: 'working', at: 1 } as const
  expect(classifyActivity({ ...nothing, report, printedAt: 2 })).toMatchObject({ is: 'working', source: 'agent' })
})

test('a program that has ended is idle, whatever its last report and screen were', () => {
  const report = { is: 'working', at: 99_999 } as const
  expect(classifyActivity({ ...nothing, isOver: true, report, seen: seen('waiting', 1) })).toMatchObject({
    is: 'idle',
    source: 'exit',
    confidence: 1,
    isReportSpent: true,
  })
})
