import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** Keeps a turn busy for the given time. */
function workFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a slice returns its result or its failure', async () => {
  const turns = createTurns()
  expect(await turns.take('read', () => 7)).toBe(7)
  await expect(
    turns.take('write', () => {
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
})

test('slices of one kind run in order, and neither kind blocks the other', async () => {
  const turns = createTurns()
  const done: string[] = []
  const take = (kind: 'read' | 'write', name: string) =>
    turns.take(kind, () => {
      workFor(2)
      done.push(name)
    })
  const reads = ['r1', 'r2', 'r3', 'r4'].map((name) => take('read', name))
  const writes = ['w1', 'w2', 'w3'].map((name) => take('write', name))
  await Promise.all([...reads, ...writes])
  expect(done).toEqual(['w1', 'r1', 'w2', 'r2', 'w3', 'r3', 'r4'])
})

test('other work runs between long slices', async () => {
  const turns = createTurns()
  const done: string[] = []
  const slices = [1, 2, 3].map((n) =>
    turns.take('read', () => {
      workFor(2)
      done.push(`slice ${n}`)
      setImmediate(() => done.push(`other ${n}`))
    }),
  )
  await Promise.all(slices)
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual(['slice 1', 'other 1', 'slice 2', 'other 2', 'slice 3', 'other 3'])
})

test('reads continue while writes are paused, and the writes follow after', async () => {
  const turns = createTurns()
  const done: string[] = []
  const resume = turns.pauseWrites()
  const write = turns.take('write', () => done.push('write'))
  for (let n = 0; n < 3; n++) await turns.take('read', () => done.push('read'))
  resume()
  await write
  expect(done).toEqual(['read', 'read', 'read', 'write'])
})
