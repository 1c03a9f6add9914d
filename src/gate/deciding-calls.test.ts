import { expect, test } from 'vitest'
import { createDecidingCalls } from './deciding-calls.ts'

/** The places that were given to calls of a session, in the order of the calls. */
async function enterMany(sizes: readonly number[]) {
  const calls = createDecidingCalls()
  const given: (Disposable | undefined)[] = sizes.map(() => undefined)
  sizes.forEach((bytes, index) => void calls.enter('a', bytes).then((place) => (given[index] = place)))
  const settled = () => new Promise((resolve) => void setImmediate(resolve))
  await settled()
  return { calls, given, settled, count: () => given.filter((place) => place).length }
}

test('few calls of a session are decided at once, and the next when one is done', async () => {
  const { calls, given, settled, count } = await enterMany(Array.from({ length: 20 }, () => 0))
  expect(count()).toBe(16)
  await calls.enter('another', 0)
  given[3]![Symbol.dispose]()
  given[3]![Symbol.dispose]()
  await settled()
  expect(count()).toBe(17)
  expect(given[16]).toBeDefined()
})

test('a call with long arguments is decided alone, and the calls after it wait for their turn', async () => {
  const { given, settled } = await enterMany([0, 10_000_000, 0])
  expect(given.map((place) => place !== undefined)).toEqual([true, false, false])
  given[0]![Symbol.dispose]()
  await settled()
  expect(given.map((place) => place !== undefined)).toEqual([true, true, false])
  given[1]![Symbol.dispose]()
  await settled()
  expect(given[2]).toBeDefined()
})
