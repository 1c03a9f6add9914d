import { expect, test } from 'vitest'
import { createHeldBytes } from './held-bytes.ts'

const mib = 1024 * 1024

test('unfinished messages of one upstream, and of all, hold a limited number of bytes', () => {
  const [one, other, third] = [createHeldBytes(), createHeldBytes(), createHeldBytes()]
  const [first, second] = [one.open(), one.open()]
  expect(first.grow(64 * mib)).toBe(true)
  expect(first.grow(128 * mib)).toBe(true)
  expect(second.grow(65 * mib)).toBe(false)
  expect(second.grow(64 * mib)).toBe(true)
  const [next, last] = [other.open(), third.open()]
  expect(next.grow(192 * mib)).toBe(true)
  expect(last.grow(129 * mib)).toBe(false)
  second.release()
  expect(last.grow(129 * mib)).toBe(true)
  for (const message of [first, second, next, last]) message.release()
})
