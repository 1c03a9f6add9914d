/** Resumes an agent that has ended, and checks that its model gets the earlier conversation. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const name = 'agent'

for (const agent of agents) {
  describeWith(agent, () => {
    let hub: AgentHub
    beforeAll(async () => {
      hub = await startAgentHub(agent)
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const answered = (answer: string, session = name) =>
      until(async () => new RegExp(`^(?!.*FINAL).*${answer}`, 'm').test(await hub.screen(session)))
    const end = () => hub.call('kill_session', { name })

    test('is not resumed if its conversation is empty', { timeout: 300_000 }, async () => {
      await hub.call('create_session', { name: 'silent', template: agent.name, working_dir: hub.workspace })
      await hub.call('wait_session', { name: 'silent', for: 'idle', timeout_ms: 60_000 })
      const { can_resume: isOffered } = await hub.call('kill_session', { name: 'silent' })
      // Codex and opencode choose the id themselves. The hub asks them for it only when it resumes.
      expect(isOffered).toBe(agent.name === 'codex' || agent.name === 'opencode')
      await expect(hub.call('resume_session', { name: 'silent' })).rejects.toThrow(/it got no prompt/)
      expect(await hub.session('silent')).toMatchObject({ can_resume: false })
    })

    // opencode starts slowly, and this test starts it four times.
    test('continues its conversation after its session has ended, twice', { timeout: 600_000 }, async () => {
      const created = { name, template: agent.name, working_dir: hub.workspace, prompt: 'FINAL first answer' }
      expect((await hub.call('create_session', created))['prompt']).toEqual({ delivered: true })
      await answered('first answer')
      await hub.call('wait_session', { name, for: 'idle', timeout_ms: 60_000 })
      await end()
      // The hub must not confuse it with another conversation in the same folder.
      await hub.call('create_session', { ...created, name: 'other', prompt: 'FINAL other answer' })
      await answered('other answer', 'other')
      await hub.call('wait_session', { name: 'other', for: 'idle', timeout_ms: 60_000 })
      await hub.call('kill_session', { name: 'other' })

      const said = ['FINAL first answer']
      for (const prompt of ['FINAL second answer', 'FINAL third answer']) {
        const resumed = await hub.call('resume_session', { name, prompt })
        expect(resumed['prompt']).toEqual({ delivered: true })
        await answered(prompt.slice('FINAL '.length))
        const asked = hub.model.asked.findLast((each) => each.prompt.trimEnd() === prompt)
        expect(asked?.earlier.map((text) => text.trimEnd())).toEqual(said)
        said.push(prompt)
        await hub.call('wait_session', { name, for: 'idle', timeout_ms: 60_000 })
        await end()
      }
    })
  })
}
