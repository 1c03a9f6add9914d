import { expect, test } from 'vitest'
import { dropOldest } from './drop-oldest.ts'

test('what was put in first goes first, and no more than must', () => {
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
