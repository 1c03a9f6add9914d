import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

test('doubles the wait, adds up to half of it as jitter and never exceeds the longest wait', () => {
  const backoff = { firstMs: 200, longestMs: 30_000 }
  expect([1, 2, 3, 4].map((failures) => backoffMs(backoff, failures, () => 0.5))).toEqual([200, 400, 800, 1600])
  expect([0, 1].map((random) => backoffMs(backoff, 1, () => random))).toEqual([100, 300])
  expect([0, 1].map((random) => backoffMs(backoff, 50, () => random))).toEqual([15_000, 30_000])
})
