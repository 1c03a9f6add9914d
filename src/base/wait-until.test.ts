import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { waitUntil } from './wait-until.ts'

function createValue() {
  const listeners = new Set<() => void>()
  return {
    is: 0,
    listeners,
    set(next: number) {
      this.is = next
      for (const listener of listeners) listener()
    },
    listen(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const signal = new AbortController().signal
const timeoutMs = 60_000

test('finds a condition that is already true, and stops listening', async () => {
  const value = createValue()
  const sources = [value.listen]
  expect(await waitUntil({ sources, look: () => 'found', timeoutMs, signal })).toBe('found')
  expect(value.listeners.size).toBe(0)
})

test('does not miss a change while it looks', async () => {
  const value = createValue()
  const found = await waitUntil({
    sources: [value.listen],
    async look() {
      const seen = value.is
      if (seen === 0) value.set(1)
      await turn()
      return seen || undefined
    },
    timeoutMs,
    signal,
  })
  expect(found).toBe(1)
})

test('looks after each change and at no other time', async () => {
  const value = createValue()
  let looks = 0
  const waiting = waitUntil({
    sources: [value.listen],
    look: () => {
      looks++
      return value.is > 2 ? value.is : undefined
    },
    timeoutMs,
    signal,
  })
  await turn()
  expect(looks).toBe(1)
  for (const next of [1, 2, 3]) {
    value.set(next)
    await turn()
  }
  expect(await waiting).toBe(3)
  expect(looks).toBe(4)
})

test('looks once if the timeout is 0', async () => {
  let looks = 0
  const look = () => {
    looks++
    return undefined
  }
  expect(await waitUntil({ sources: [], look, timeoutMs: 0, signal })).toBeUndefined()
  expect(looks).toBe(1)
})

test('ends at the timeout or when the caller aborts, and stops listening', async () => {
  const value = createValue()
  const wait = { sources: [value.listen], look: () => undefined, signal }
  expect(await waitUntil({ ...wait, timeoutMs: 1 })).toBeUndefined()
  expect(value.listeners.size).toBe(0)
  const leaving = new AbortController()
  const waiting = waitUntil({ ...wait, timeoutMs, signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(value.listeners.size).toBe(0)
  await expect(waitUntil({ ...wait, timeoutMs, signal: leaving.signal })).rejects.toThrow('gone')
})

test('rejects if looking fails, and stops listening', async () => {
  const value = createValue()
  const look = () => {
    throw new Error('cannot look')
  }
  await expect(waitUntil({ sources: [value.listen], look, timeoutMs, signal })).rejects.toThrow('cannot look')
  expect(value.listeners.size).toBe(0)
})
