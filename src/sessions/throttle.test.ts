import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttle } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first call runs at once, later calls are combined, and the last one is never lost', () => {
  const run = vi.fn()
  const call = throttle(50, run)
  call()
  expect(run).toHaveBeenCalledTimes(1)
  for (let times = 0; times < 100; times++) call()
  expect(run).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(50)
  expect(run).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1_000)
  expect(run).toHaveBeenCalledTimes(2)
  call()
  expect(run).toHaveBeenCalledTimes(3)
})
