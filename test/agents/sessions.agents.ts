/** Each agent in a session of a real hub, as a person would have it: started, prompted, asked, answered. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import type { Conversation } from './model/conversation.ts'
import { describeWith } from './requires-agent.ts'

const name = 'agent'

for (const agent of agents) {
  describeWith(agent, () => {
    let hub: AgentHub
    beforeAll(async () => {
      hub = await startAgentHub(agent)
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const press = (keys: string) => hub.call('send_keys', { session: name, keys })
    const activity = async () => (await hub.session(name)).activity
    const waitFor = (what: string) => hub.call('wait_session', { name, for: what, timeout_ms: 60_000 })
    /** What it was doing, one after another, as the log has it. */
    async function changes(): Promise<readonly string[]> {
      const { id } = await hub.session(name)
      const { events } = await hub.call('query_events', { session: id, type: 'activity-changed', limit: 1000 })
      return (events as { payload: { is: string } }[]).map(({ payload }) => payload.is)
    }
    /** What the model was asked last, of this prompt, once it was told what so many tools answered. */
    async function asked(prompt: string, results: number): Promise<Conversation> {
      const ofIt = () => hub.model.asked.findLast((last) => last.tools.length > 0 && last.results.length === results)
      await expect.poll(() => ofIt()?.prompt.trimEnd(), { timeout: 120_000 }).toBe(prompt)
      return ofIt()!
    }

    test('takes a prompt, and reads its own screen through the hub', async () => {
      const prompt = 'SLOW 500\nCALL terminal_read_screen {}\nFINAL I have seen it'
      const created = await hub.call('create_session', {
        name,
        template: agent.name,
        working_dir: hub.workspace,
        prompt,
        tools: ['read_screen'],
      })
      expect(created['prompt']).toEqual({ delivered: true })
      await asked(prompt, 0)
      if (agent.asksForTools) {
        await waitFor('waiting')
        expect((await activity()).reason).toContain('terminal_read_screen')
        await press('Enter')
      }
      // Its token leads to its own session and no other.
      const { results } = await asked(prompt, 1)
      expect(results[0]).toContain('CALL terminal_read_screen {}')
      await until(async () => (await hub.screen(name)).match(/^(?!.*FINAL).*I have seen it/m))
    })

    test('is seen to work, to wait with what it waits for, and to be idle', async () => {
      await waitFor('idle')
      const made = join(hub.workspace, 'made.txt')
      await expect.poll(async () => (await changes()).at(-1)).toBe('idle')
      const before = (await changes()).length
      await hub.call('send_input', {
        name,
        text: `SLOW 2000\n${agent.askingCall('echo it > made.txt')}\nFINAL it is made`,
      })
      await waitFor('waiting')
      expect((await activity()).reason).toMatch(agent.reason)
      expect(existsSync(made)).toBe(false)
      await press('Enter')
      await until(async () => (await hub.screen(name)).match(/^(?!.*FINAL).*it is made/m))
      await waitFor('idle')
      expect(existsSync(made)).toBe(true)
      const since = async () => (await changes()).slice(before)
      await expect.poll(since).toEqual(['working', 'waiting', 'working', 'idle'])
    })

    test.each([
      ['the name of a key', 'Enter'],
      ['an option', '-n'],
      ['a key as tmux writes it', 'C-c'],
      ['tabs, quotes and emoji', 'a\tb "quoted" \'and\' $HOME `x` \\n 👩‍🚀 日本語\nFINAL done'],
      ['ten thousand lines', `${Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join('\n')}\nFINAL done`],
    ])('%s arrives as it is', async (_what, text) => {
      await hub.call('send_input', { name, text })
      await asked(text.replaceAll('\t', agent.tab), 0)
      await waitFor('idle')
    })
  })
}
