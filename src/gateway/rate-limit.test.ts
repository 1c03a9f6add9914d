import { expect, test } from 'vitest'
import { createRateLimit, noticeLimits } from './rate-limit.ts'

function limitAt() {
  let ms = 0
  const mayPass = createRateLimit(noticeLimits, () => ms)
  const passed = (count: number, message: object = {}) =>
    Array.from({ length: count }, () => mayPass(message)).filter((may) => may).length
  return { passed, pass: (by: number) => (ms += by) }
}

test('a burst passes, a flood does not, and after a while messages pass again', () => {
  const { passed, pass } = limitAt()
  expect(passed(500)).toBe(500)
  expect(passed(10_000)).toBe(500)
  pass(1_000)
  expect(passed(10_000)).toBe(100)
  pass(3_600_000)
  expect(passed(10_000)).toBe(1_000)
})

test('large messages count by their bytes', () => {
  const { passed, pass } = limitAt()
  const large = { data: 'x'.repeat(1024 * 1024) }
  expect(passed(100, large)).toBe(4)
  pass(2_000)
  expect(passed(100, large)).toBe(2)
})

test('a message larger than the whole budget passes, and later ones wait', () => {
  const { passed, pass } = limitAt()
  expect(passed(2, { data: 'x'.repeat(10 * 1024 * 1024) })).toBe(1)
  pass(5_000)
  expect(passed(1)).toBe(0)
  pass(5_000)
  expect(passed(1)).toBe(1)
})
