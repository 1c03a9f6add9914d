import { expect, test } from 'vitest'
import { createUndertakings } from './undertakings.ts'

test('what is under way is waited for, however it goes', async () => {
  const undertakings = createUndertakings()
  const first = Promise.withResolvers<string>()
  const seen: string[] = []
  const run = undertakings.run('a', () => first.promise)
  const waits = Promise.all([
    undertakings.settled('a').then(() => seen.push('settled')),
    undertakings.allSettled().then(() => seen.push('all settled')),
  ])
  await undertakings.settled('b')
  expect(seen).toEqual([])
  first.reject(new Error('no'))
  await expect(run).rejects.toThrow('no')
  await waits
  expect(seen).toHaveLength(2)
})

test('who waits for one thing waits for what was begun meanwhile too', async () => {
  const undertakings = createUndertakings()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const first = undertakings.run('a', () => gates[0].promise)
  let isSettled = false
  const settled = undertakings.settled('a').then(() => (isSettled = true))
  const second = undertakings.run('a', () => gates[1].promise)
  gates[0].resolve()
  await first
  expect(isSettled).toBe(false)
  gates[1].resolve()
  await second
  await settled
})
