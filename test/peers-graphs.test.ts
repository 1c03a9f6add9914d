/** Sessions that call one another in random graphs, several at once: every prompt ends, whatever waits for whatever. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PeersWorld, startPeersWorld } from './worlds/peers-world.ts'

const names = ['a', 'b', 'c', 'd']
const graphs = 200

let world: PeersWorld
beforeAll(async () => {
  world = await startPeersWorld()
  for (const name of names) await world.agent(name)
})
afterAll(() => world[Symbol.asyncDispose]())

interface Ask {
  readonly session: string
  /** What the asked session asks in its turn, all at once. */
  readonly asks: readonly Ask[]
}

/** One level deeper than chains may be. */
const ask = askOf(4)

function askOf(depth: number): fc.Arbitrary<Ask> {
  const asks = depth === 0 ? fc.constant([]) : fc.array(askOf(depth - 1), { maxLength: 2 })
  return fc.record({ session: fc.constantFrom(...names), asks })
}

function scriptOf({ asks }: Ask): string {
  const calls = asks.map((next) => ['sessions_ask', { session: next.session, text: scriptOf(next) }])
  return ['turn', `CALLS ${JSON.stringify(calls)}`].join('\n')
}

function countOf({ asks }: Ask): number {
  return asks.reduce((count, next) => count + countOf(next), 1)
}

test(`${graphs} random graphs of calls end without a deadlock, and every turn that begins ends`, async () => {
  const seed = Date.now()
  let asked = 0
  for (const roots of fc.sample(fc.array(ask, { minLength: 2, maxLength: 4 }), { numRuns: graphs, seed })) {
    asked += roots.reduce((count, root) => count + countOf(root), 0)
    const ended = await Promise.all(
      roots.map((root) => world.prompt(root.session, [scriptOf(root)], { timeout_ms: 1_100_000 })),
    )
    const statuses = ended.map(({ status }) => status)
    expect(statuses, `seed ${seed}: ${JSON.stringify(roots)}`).toEqual(roots.map(() => 'completed'))
  }
  expect(asked).toBeGreaterThan(graphs)
  const notes = world.notes()
  const count = (word: string) => notes.filter((note) => note.startsWith(`${word} turn`)).length
  expect(count('end') + count('cancelled')).toBe(count('begin'))
  const refusals = JSON.stringify(await world.thread('a')).match(/neither would ever answer/g) ?? []
  expect(refusals.length).toBeGreaterThan(0)
}, 1_200_000)
