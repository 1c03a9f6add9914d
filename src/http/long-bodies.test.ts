import { expect, test } from 'vitest'
import { inTurn } from './long-bodies.ts'

const agent = { role: 'agent', tokenId: 't1', label: 'agent', session: 's1' } as const
const long = 'x'.repeat(100_000)

/** Takes long enough that the rest of the hub has its turn. */
function parse(): void {
  const startedAt = performance.now()
  while (performance.now() - startedAt < 5);
}

test('long bodies of an agent are taken one at a time, and other work has its turn after each', async () => {
  const order: string[] = []
  const taken = ['a', 'b', 'c'].map((name) =>
    inTurn(agent, long, () => {
      parse()
      order.push(name)
      setImmediate(() => order.push('other'))
    }),
  )
  await Promise.all(taken)
  expect(order).toEqual(['a', 'other', 'b', 'other', 'c'])
})

test('short bodies, and those of people, do not wait', async () => {
  const order: string[] = []
  const first = inTurn(agent, long, parse).then(() => order.push('first'))
  const waiting = inTurn(agent, long, () => order.push('long'))
  await inTurn(agent, 'x', () => order.push('short'))
  await inTurn({ role: 'human', tokenId: 't1', label: 'person' }, long, () => order.push('person'))
  await Promise.all([first, waiting])
  expect(order.slice(-1)).toEqual(['long'])
  expect(order.toSorted()).toEqual(['first', 'long', 'person', 'short'])
})

test('an agent cannot let more bytes wait than a hub can hold, and a failure is for its own caller', async () => {
  const huge = 'x'.repeat(20_000_000)
  const failing = inTurn(agent, huge, () => {
    throw new Error('broken')
  })
  const second = inTurn(agent, huge, () => 'second')
  await expect(inTurn(agent, huge, () => 'third')).rejects.toThrow(/bytes wait for their turn/)
  await expect(failing).rejects.toThrow('broken')
  expect(await second).toBe('second')
  expect(await inTurn(agent, huge, () => 'again')).toBe('again')
})
