/** Kills the hub while agents wait for agents. SOAK_PEER_KILLS sets how often, SOAK_PEER_SEED repeats the moments. */
import { expect, test } from 'vitest'
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
