import { expect, test } from 'vitest'
import { Cancellation } from './cancellation.ts'

test('work that ends before a cancel gives its result', async () => {
  const cancellation = new Cancellation()
  expect(await cancellation.race(Promise.resolve(1))).toBe(1)
  expect(await cancellation.race(2)).toBe(2)
  cancellation.cancel('too late')
})

test('work that ignores its signal is abandoned at once, with the reason of the cancel', async () => {
  const cancellation = new Cancellation()
  const work = cancellation.race(new Promise(() => {}))
  cancellation.cancel('enough')
  cancellation.cancel('more than enough')
  await expect(work).rejects.toBe('enough')
  expect(cancellation.reason).toBe('enough')
})

test('work that starts after the cancel is not waited for', async () => {
  const cancellation = new Cancellation()
  cancellation.cancel('no')
  await expect(cancellation.race(new Promise(() => {}))).rejects.toBe('no')
})

test('the signal is aborted whether it was read before or after the cancel', () => {
  const early = new Cancellation()
  const { signal } = early
  expect(signal.aborted).toBe(false)
  early.cancel('now')
  expect(signal.aborted).toBe(true)
  const late = new Cancellation()
  late.cancel('then')
  expect(late.signal.aborted).toBe(true)
  expect(late.signal.reason).toBe('then')
})

test('a failure of abandoned work causes no unhandled rejection', async () => {
  const cancellation = new Cancellation()
  const { promise, reject } = Promise.withResolvers<never>()
  const work = cancellation.race(promise)
  cancellation.cancel('first')
  reject(new Error('second'))
  await expect(work).rejects.toBe('first')
})
