/** Sessions that call one another in random graphs, several at once. */
import fc from 'fast-check'
import { startPeersWorld } from '../worlds/peers-world.ts'

const names = ['a', 'b', 'c', 'd']
const timeoutMs = 1_100_000

interface Ask {
  readonly session: string
  /** The asks of the asked session, all at once. */
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

export interface GraphsReport {
  /** The graphs with a prompt that did not complete. */
  readonly stuck: readonly string[]
  readonly asked: number
  readonly begun: number
  readonly ended: number
  /** Asks that were refused because two sessions would have waited for each other. */
  readonly refused: number
}

export async function callInGraphs({ graphs, seed }: { graphs: number; seed: number }): Promise<GraphsReport> {
  await using world = await startPeersWorld()
  for (const name of names) await world.agent(name)
  const stuck: string[] = []
  let asked = 0
  for (const roots of fc.sample(fc.array(ask, { minLength: 2, maxLength: 4 }), { numRuns: graphs, seed })) {
    asked += roots.reduce((count, root) => count + countOf(root), 0)
    const turns = await Promise.all(
      roots.map((root) => world.prompt(root.session, [scriptOf(root)], { timeout_ms: timeoutMs })),
    )
    if (turns.some(({ status }) => status !== 'completed')) stuck.push(JSON.stringify(roots))
  }
  const notes = world.notes()
  const count = (word: string) => notes.filter((note) => note.startsWith(`${word} turn`)).length
  const refusals = JSON.stringify(await world.thread('a')).match(/neither would ever answer/g) ?? []
  return { stuck, asked, begun: count('begin'), ended: count('end') + count('cancelled'), refused: refusals.length }
}
