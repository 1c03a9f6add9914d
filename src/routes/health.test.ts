import { expect, test } from 'vitest'
import { createHealth } from './health.ts'

function healthAt() {
  let time = 0
  const health = createHealth({ now: () => time, random: () => 0.5 })
  return { health, pass: (ms: number) => void (time += ms) }
}

test('a way rests after a failure, longer with each one, and never longer than five minutes', () => {
  const { health, pass } = healthAt()
  health.failed('a', 'refused')
  expect(health.restOf('a')).toMatchObject({ until: 5_000, reason: 'refused' })
  expect(health.restOf('b')).toBeUndefined()
  pass(5_000)
  expect(health.restOf('a')).toBeUndefined()
  health.failed('a', 'refused')
  expect(health.restOf('a')?.until).toBe(5_000 + 10_000)
  for (let failures = 0; failures < 20; failures++) health.failed('a', 'refused')
  expect(health.restOf('a')?.until).toBe(5_000 + 5 * 60_000)
})

test('a way that was reached may be asked at once, and its failures are forgotten', () => {
  const { health } = healthAt()
  health.failed('a', 'refused')
  health.failed('a', 'refused')
  health.reached('a')
  expect(health.restOf('a')).toBeUndefined()
  health.failed('a', 'refused')
  expect(health.restOf('a')?.until).toBe(5_000)
})
