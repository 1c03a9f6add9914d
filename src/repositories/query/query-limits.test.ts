import { expect, test } from 'vitest'
import { createQueryLimits } from './query-limits.ts'

test('a token has a limit of questions at a time, and another token has its own', () => {
  const limits = createQueryLimits({ atOnce: 2, perMinute: 100 })
  const first = limits.enter('a')
  using _ = limits.enter('a')
  expect(() => limits.enter('a')).toThrow('already has 2 questions that are being answered')
  using __ = limits.enter('b')
  first[Symbol.dispose]()
  limits.enter('a')[Symbol.dispose]()
})

test('a token has a limit of questions in a minute, and is told when to ask again', () => {
  let now = 0
  const limits = createQueryLimits({ atOnce: 2, perMinute: 3, now: () => now })
  for (now = 0; now < 30_000; now += 10_000) limits.enter('a')[Symbol.dispose]()
  expect(() => limits.enter('a')).toThrow('Ask again in 30 seconds')
  limits.enter('b')[Symbol.dispose]()
  now = 60_001
  limits.enter('a')[Symbol.dispose]()
  expect(() => limits.enter('a')).toThrow('Ask again in 10 seconds')
})
