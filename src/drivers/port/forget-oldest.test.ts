import { expect, test } from 'vitest'
import { forgetOldest, forgetOldestBytes } from './forget-oldest.ts'

test('forgets the oldest entries, and keeps open ones', () => {
  const calls = new Map(['open', 'old', 'older', 'new'].map((name) => [name, name]))
  forgetOldest(calls, 2, (name) => name === 'open')
  expect([...calls.keys()]).toEqual(['open', 'new'])
})

test('forgets the oldest entries until the others take few enough bytes', () => {
  const calls = new Map([5, 40, 30, 20].map((bytes) => [bytes, { bytes }]))
  forgetOldestBytes(calls, 60, ({ bytes }) => bytes === 5)
  expect([...calls.keys()]).toEqual([5, 30, 20])
})
