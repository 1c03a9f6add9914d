import { expect, test } from 'vitest'
import { createInFlight } from './in-flight.ts'

test('settled waits for a task in flight, also if it fails', async () => {
  const inFlight = createInFlight()
  const first = Promise.withResolvers<string>()
  const seen: string[] = []
  const run = inFlight.run('a', () => first.promise)
  const waits = Promise.all([
    inFlight.settled('a').then(() => seen.push('settled')),
    inFlight.allSettled().then(() => seen.push('all settled')),
  ])
  await inFlight.settled('b')
  expect(seen).toEqual([])
  first.reject(new Error('no'))
  await expect(run).rejects.toThrow('no')
  await waits
  expect(seen).toHaveLength(2)
})

test('settled also waits for tasks that start meanwhile', async () => {
  const inFlight = createInFlight()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const first = inFlight.run('a', () => gates[0].promise)
  let isSettled = false
  const settled = inFlight.settled('a').then(() => (isSettled = true))
  const second = inFlight.run('a', () => gates[1].promise)
  gates[0].resolve()
  await first
  expect(isSettled).toBe(false)
  gates[1].resolve()
  await second
  await settled
})

test('settled waits for the first of two tasks, also if the second ends before it', async () => {
  const inFlight = createInFlight()
  const gate = Promise.withResolvers<void>()
  const first = inFlight.run('a', () => gate.promise)
  await inFlight.run('a', async () => {})
  let isSettled = false
  const settled = inFlight.settled('a').then(() => (isSettled = true))
  await new Promise(setImmediate)
  expect(isSettled).toBe(false)
  gate.resolve()
  await Promise.all([first, settled])
})
