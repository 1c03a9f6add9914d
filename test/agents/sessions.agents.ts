/** Each agent in a session of a real hub, as a person uses it: start, prompt, question, answer. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import type { Conversation } from './model/conversation.ts'
import { describeWith } from './requires-agent.ts'

for (const agent of agents) {
  describeWith(agent, () => {
    let hub: AgentHub
    /** All tests of this agent share one session. A retry of the first test creates another. */
    let name = ''
    beforeAll(async () => {
      hub = await startAgentHub(agent)
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const activity = async () => (await hub.session(name)).activity
    const waitFor = (what: string) => hub.call('wait_session', { name, for: what, timeout_ms: 60_000 })
    /** Its activities in order, from the event log. */
    async function changes(): Promise<readonly string[]> {
      const { id } = await hub.session(name)
      const { events } = await hub.call('query_events', { session: id, type: 'activity-changed', limit: 1000 })
      return (events as { payload: { is: string } }[]).map(({ payload }) => payload.is)
    }
    /** The last request to the model for this prompt that has this many tool results. */
    async function asked(prompt: string, results: number): Promise<Conversation> {
      const ofIt = () => hub.model.asked.findLast((last) => last.tools.length > 0 && last.results.length === results)
      await expect.poll(() => ofIt()?.prompt.trimEnd(), { timeout: 120_000 }).toBe(prompt)
      return ofIt()!
    }

    test('accepts a prompt, and reads its own screen through the hub', async () => {
      const prompt = 'SLOW 500\nCALL terminal_read_screen {}\nFINAL I have seen it'
      name = `agent${name.length}`
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
        // The screen shows the dialog before the hook reports the tool.
        await expect.poll(async () => (await activity()).reason, { timeout: 60_000 }).toContain('terminal_read_screen')
        await hub.acceptDialog(name)
      }
      // Its token leads only to its own session.
      const { results } = await asked(prompt, 1)
      expect(results[0]).toContain('CALL terminal_read_screen {}')
      await until(async () => /^(?!.*FINAL).*I have seen it/m.test(await hub.screen(name)))
    })

    test('is reported as working, waiting with a reason, and idle', async () => {
      await waitFor('idle')
      const made = join(hub.workspace, 'made.txt')
      await expect.poll(async () => (await changes()).at(-1)).toBe('idle')
      const before = (await changes()).length
      await hub.call('send_input', {
        name,
        text: `SLOW 2000\n${agent.askingCall('echo it > made.txt')}\nFINAL it is made`,
      })
      await waitFor('waiting')
      await expect.poll(async () => (await activity()).reason, { timeout: 60_000 }).toMatch(agent.reason)
      expect(existsSync(made)).toBe(false)
      await hub.acceptDialog(name)
      await until(async () => /^(?!.*FINAL).*it is made/m.test(await hub.screen(name)))
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
    ])('%s arrives unchanged', async (_what, text) => {
      await hub.call('send_input', { name, text })
      await asked(text.replaceAll('\t', agent.tab), 0)
      await waitFor('idle')
    })
  })
}
