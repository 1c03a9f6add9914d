import { expect, test } from 'vitest'
import { createBatch } from './batch.ts'

test('what is given within one turn is written at once, in order', async () => {
  const written: number[][] = []
  const add = createBatch<number>(async (items) => void written.push([...items]))
  await Promise.all([add(1), add(2), add(3)])
  await add(4)
  expect(written).toEqual([[1, 2, 3], [4]])
})

test('what comes while a write is under way waits for the next', async () => {
  const written: number[][] = []
  const gate = Promise.withResolvers<void>()
  const add = createBatch<number>(async (items) => {
    written.push([...items])
    await gate.promise
  })
  const first = add(1)
  await new Promise(setImmediate)
  const others = Promise.all([add(2), add(3)])
  expect(written).toEqual([[1]])
  gate.resolve()
  await Promise.all([first, others])
  expect(written).toEqual([[1], [2, 3]])
})

test('a bad one fails alone, and harms neither its neighbours nor what follows', async () => {
  const written: number[] = []
  const add = createBatch<number>(async (items) => {
    if (items.includes(13)) throw new Error('unlucky')
    written.push(...items)
  })
  const outcomes = await Promise.allSettled([add(1), add(13), add(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await add(3)
  expect(written).toEqual([1, 2, 3])
})
