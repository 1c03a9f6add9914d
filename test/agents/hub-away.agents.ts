/** An agent continues while its hub is down, and shows no errors of hooks that only report. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const claude = agents.find(({ name }) => name === 'claude')!

describeWith(claude, () => {
  test('ends its turn without an error about hooks', async () => {
    await using hub = await startAgentHub(claude)
    const prompt = 'SLOW 3000\nFINAL it is over'
    await hub.call('create_session', { name: 'agent', template: 'claude', working_dir: hub.workspace, prompt })
    await expect.poll(() => hub.model.asked.some((asked) => asked.prompt.includes('it is over')), slow).toBe(true)
    await hub.whileAway(async () => {
      const transcripts = () =>
        globSync(join(hub.home, '.claude/projects/*/*.jsonl')).map((file) => readFileSync(file, 'utf8'))
      await expect.poll(() => transcripts().join('').includes('"turn_duration"'), slow).toBe(true)
    })
    const screen = await until(async () => {
      const shown = await hub.screen('agent')
      return /^(?!.*FINAL).*it is over/m.test(shown) && shown
    })
    expect(screen).not.toMatch(/hook error/i)
  })
})

const slow = { timeout: 120_000 }
