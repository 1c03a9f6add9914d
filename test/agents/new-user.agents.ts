/** The first day of a user: a prompt at the start, an approval by MCP and one at the keyboard, an end, and a resume. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const name = 'first-day'

for (const agent of agents.filter((each) => each.name === 'claude' || each.name === 'codex')) {
  describeWith(agent, () => {
    let hub: AgentHub
    beforeAll(async () => {
      hub = await startAgentHub(agent)
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const waitFor = (what: string) => hub.call('wait_session', { name, for: what, timeout_ms: 60_000 })
    const says = (answer: string) =>
      until(async () => new RegExp(`^(?!.*FINAL).*${answer}`, 'm').test(await hub.screen(name)))

    test('the session waits while the policy asks about a call, until the call is approved by MCP', async () => {
      const created = await hub.call('create_session', {
        name,
        template: agent.name,
        working_dir: hub.workspace,
        tools: ['read_screen'],
        policy: 'rules: [{ ask: "terminal_read_screen" }]',
        prompt: 'CALL terminal_read_screen {}\nFINAL I was allowed',
      })
      expect(created['prompt']).toEqual({ delivered: true })
      if (agent.asksForTools) {
        await waitFor('waiting')
        await hub.acceptDialog(name)
      }
      await expect
        .poll(() => hub.session(name), { timeout: 60_000 })
        .toMatchObject({
          activity: { is: 'waiting', source: 'approval', reason: 'approval: terminal_read_screen' },
          approvals_pending: 1,
        })
      const { approvals } = (await hub.call('list_approvals', { session: name })) as unknown as {
        approvals: Approval[]
      }
      await hub.call('decide_approval', { id: approvals[0]?.id, decision: 'approve' })
      await says('I was allowed')
      await waitFor('idle')
      expect(await hub.session(name)).toMatchObject({ approvals_pending: 0 })
    })

    test('a person approves a command of the agent’s own shell at the keyboard', async () => {
      await hub.call('send_input', { name, text: `${agent.askingCall('echo it > made.txt')}\nFINAL it is made` })
      await waitFor('waiting')
      const reason = async () => (await hub.session(name)).activity.reason
      await expect.poll(reason, { timeout: 60_000 }).toMatch(agent.reason)
      expect(existsSync(join(hub.workspace, 'made.txt'))).toBe(false)
      await hub.acceptDialog(name)
      await says('it is made')
      await waitFor('idle')
      expect(existsSync(join(hub.workspace, 'made.txt'))).toBe(true)
    })

    test('a resumed session continues the conversation under the same policy', async () => {
      await hub.call('kill_session', { name })
      expect(await hub.session(name)).toMatchObject({ can_resume: true })
      const prompt = 'FINAL we continue'
      const resumed = await hub.call('resume_session', { name, prompt })
      expect(resumed['prompt']).toEqual({ delivered: true })
      await says('we continue')
      const asked = hub.model.asked.findLast((each) => each.prompt.trimEnd() === prompt)
      expect(asked?.earlier.some((text) => text.includes('FINAL I was allowed'))).toBe(true)
      expect(asked?.earlier.some((text) => text.includes('FINAL it is made'))).toBe(true)
      const { source } = await hub.call('get_policy', { scope: 'session', target: name })
      expect(source).toContain('terminal_read_screen')
    })
  })
}
