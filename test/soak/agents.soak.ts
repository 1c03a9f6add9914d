/**
 * Kills the hub in the middle of the turns of real agents. SOAK_AGENT_KILLS sets how often, SOAK_AGENT_SEED repeats the
 * moments of a run.
 */
import { expect, test } from 'vitest'
import { agents } from '../agents/agents.ts'
import { describeWith } from '../agents/requires-agent.ts'
import { killInTurns } from './kill-in-turns.ts'

const kills = Number(process.env['SOAK_AGENT_KILLS'] ?? 50)
const seed = Number(process.env['SOAK_AGENT_SEED'] ?? Date.now() % 2 ** 31)

for (const agent of agents) {
  describeWith(agent, () => {
    test(
      `its thread is what the model sent, after ${kills} kills in mid-turn (SOAK_AGENT_SEED=${seed})`,
      { timeout: 3_600_000 },
      async () => {
        const { said, sent, ran, ordered, ...report } = await killInTurns(agent, { kills, seed })
        console.log(agent.name, report)
        expect(said).toEqual(sent)
        expect(ran).toEqual(ordered)
        expect(report.ownCallsFailed).toEqual([])
      },
    )
  })
}
