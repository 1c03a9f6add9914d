import { expect, test } from 'vitest'
import { createBatch } from './batch.ts'

test('writes all items of one turn together and in order', async () => {
  const written: number[][] = []
  const add = createBatch<number>(async (items) => void written.push([...items]))
  await Promise.all([add(1), add(2), add(3)])
  await add(4)
  expect(written).toEqual([[1, 2, 3], [4]])
})

test('keeps items that arrive during a write for the next write', async () => {
  const written: number[][] = []
  const write = Promise.withResolvers<void>()
  const add = createBatch<number>(async (items) => {
    written.push([...items])
    await write.promise
  })
  const first = add(1)
  await new Promise(setImmediate)
  const others = Promise.all([add(2), add(3)])
  expect(written).toEqual([[1]])
  write.resolve()
  await Promise.all([first, others])
  expect(written).toEqual([[1], [2, 3]])
})

test('a bad item fails alone and does not affect the items before or after it', async () => {
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
