import { expect, test } from 'vitest'
import { forgetOldest } from './forget-oldest.ts'

test('the oldest are forgotten, but none that is open', () => {
  const calls = new Map(['open', 'old', 'older', 'new'].map((name) => [name, name]))
  forgetOldest(calls, 2, (name) => name === 'open')
  expect([...calls.keys()]).toEqual(['open', 'new'])
})
