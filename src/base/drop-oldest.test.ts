import { expect, test } from 'vitest'
import { dropOldest } from './drop-oldest.ts'

test('drops the oldest entries, and only as many as necessary', () => {
  const set = new Set([1, 2, 3])
  dropOldest(set, 3)
  expect([...set]).toEqual([1, 2, 3])
  dropOldest(set, 1)
  expect([...set]).toEqual([3])
  const map = new Map([
    ['a', 1],
    ['b', 2],
  ])
  dropOldest(map, 1)
  expect([...map.keys()]).toEqual(['b'])
})
