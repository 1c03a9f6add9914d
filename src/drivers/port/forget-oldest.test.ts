import { expect, test } from 'vitest'
import { forgetOldest } from './forget-oldest.ts'

test('forgets the oldest entries, and keeps open ones', () => {
  const calls = new Map(['open', 'old', 'older', 'new'].map((name) => [name, name]))
  forgetOldest(calls, 2, (name) => name === 'open')
  expect([...calls.keys()]).toEqual(['open', 'new'])
})
