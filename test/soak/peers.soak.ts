/** Agents that wait for agents: in random graphs, and while the hub is killed. SOAK_PEER_SEED repeats a run. */
import { expect, test } from 'vitest'
import { callInGraphs } from './call-in-graphs.ts'
import { killInAsks, truth } from './kill-in-asks.ts'

const kills = Number(process.env['SOAK_PEER_KILLS'] ?? 50)
const seed = Number(process.env['SOAK_PEER_SEED'] ?? Date.now() % 2 ** 31)

test(
  `both threads are true, nothing ran twice and nothing hangs after ${kills} kills (SOAK_PEER_SEED=${seed})`,
  { timeout: 3_600_000 },
  async () => {
    const report = await killInAsks({ kills, seed })
    expect(report).toEqual(truth(report))
  },
)

test(`200 random graphs of calls end without a deadlock (SOAK_PEER_SEED=${seed})`, { timeout: 3_600_000 }, async () => {
  const { stuck, begun, ended, refused } = await callInGraphs({ graphs: 200, seed })
  expect(stuck).toEqual([])
  expect(ended).toBe(begun)
  expect(refused).toBeGreaterThan(0)
})
