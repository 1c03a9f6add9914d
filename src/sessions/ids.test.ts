import { expect, test } from 'vitest'
import { createIds } from './ids.ts'

test('ids and times increase, even within a millisecond and when the clock goes back', () => {
  const noon = Date.UTC(2026, 0, 1, 12)
  const clock = [noon, noon, noon, noon - 500, noon + 1_000]
  const ids = createIds(() => clock.shift()!)
  const made = Array.from({ length: 5 }, () => ids.next())
  expect(made.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted())
  expect(made.map(({ createdAt }) => Date.parse(createdAt))).toEqual([0, 1, 2, 3, 1_000].map((later) => noon + later))
})

test('two hubs do not make the same id at the same time', () => {
  const now = () => 1_000
  expect(createIds(now).next().id).not.toBe(createIds(now).next().id)
})
