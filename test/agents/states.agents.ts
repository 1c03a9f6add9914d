/**
 * Failures that keep a real agent from its work, and the message of its session: a model that takes no more requests, a
 * context that is full, a login that is missing or refused. A failure that passes is not shown.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import type { Agent, AgentName } from './agents.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const modes = ['default', 'structured'] as const
const slow = { timeout: 60_000 }

/** By default, some agents try again for minutes. */
const retries: Readonly<Partial<Record<AgentName, (agent: Agent) => Agent>>> = {
  codex: (agent) => ({
    ...agent,
    settings: (model) => ({
      '.codex/config.toml': (agent.settings(model)['.codex/config.toml'] as string).replace(
        'request_max_retries = 0',
        'request_max_retries = 2',
      ),
    }),
  }),
  claude: (agent) => ({
    ...agent,
    environment: (model) => ({ ...agent.environment(model), CLAUDE_CODE_MAX_RETRIES: '2' }),
  }),
  gemini: (agent) => ({
    ...agent,
    settings(model) {
      const file = agent.settings(model)['.gemini/settings.json'] as { readonly general: object }
      return { '.gemini/settings.json': { ...file, general: { ...file.general, maxAttempts: 2 } } }
    },
  }),
  opencode: (agent) => agent,
}

for (const agent of agents) {
  const withRetries = retries[agent.name]
  if (!withRetries) continue
  describeWith(agent, () => {
    let hub: AgentHub
    beforeAll(async () => {
      hub = await startAgentHub(withRetries(agent))
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    describe.each(modes)('%s', (mode) => {
      let count = 0
      /** In a session of its own: some agents send a prompt that failed again, with the next one. */
      async function promptNew(text: string) {
        const name = `${mode}-${++count}`
        await begin(hub, agent, mode, name)
        // The first start in a new home can take longer than the client waits for a turn.
        await hub.call('wait_session', { name, for: 'idle', timeout_ms: 100_000 })
        return { name, turn: await prompt(name, text) }
      }
      const prompt = (session: string, text: string) =>
        hub.call('prompt_session', { session, text, timeout_ms: 60_000 })
      afterEach(() => hub.call('kill_session', { name: `${mode}-${count}` }))

      test('a failure that passes is not shown', async () => {
        const { name, turn } = await promptNew('FAIL 500 1\nFINAL after a failure')
        expect(turn).toMatchObject({ status: 'completed', answer: 'after a failure' })
        expect(await hub.session(name)).not.toHaveProperty('last_message')
      })

      // Gemini CLI goes on trying for minutes.
      const testUnlessGemini = test.skipIf(agent.name === 'gemini')
      testUnlessGemini('a model that takes no more requests fails the turn with what to do', async () => {
        const before = hub.model.asked.length
        const { name } = await promptNew('FAIL 429')
        await says(hub, name, /^The last turn failed: .*wait, then send the prompt again/s)
        if (agent.name !== 'codex') return expect(hub.model.asked.length - before).toBeGreaterThan(1)
        // Codex does not ask again after this status.
        expect(await prompt(name, 'FINAL we go on')).toMatchObject({ status: 'completed', answer: 'we go on' })
        await expect.poll(() => hub.session(name), slow).not.toHaveProperty('last_message')
      })

      test('a login that the provider refuses fails the turn, and the message says what to do', async () => {
        const { name, turn } = await promptNew('FAIL 401')
        // Over ACP, opencode passes on the words of the provider without the status. The script's words name no login.
        const passesOnWords = agent.name === 'opencode' && mode === 'structured'
        const reason = passesOnWords ? 'The script says to fail' : 'The agent needs a login: '
        expect(turn).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) })
        await says(hub, name, new RegExp(`^The last turn failed: .*${reason}`, 's'))
      })

      // opencode compacts the conversation itself, and goes on.
      const testUnlessOpencode = test.skipIf(agent.name === 'opencode')
      testUnlessOpencode('a full context fails the turn with what to do', async () => {
        const { name, turn } = await promptNew('FULL')
        expect(turn).toMatchObject({ status: 'failed', reason: expect.stringMatching(/The context is full: /) })
        await says(hub, name, /^The last turn failed: .*The context is full: /s)
      })
    })
  })
}

/** People who have set an agent up, but have neither a key nor a login. */
const strangers: Readonly<Partial<Record<AgentName, (agent: Agent) => Agent>>> = {
  codex: (agent) => ({ ...agent, settings: () => ({}), environment: () => ({}) }),
  claude: (agent) => ({
    ...agent,
    environment: (model) => ({ ...agent.environment(model), ANTHROPIC_API_KEY: '' }),
  }),
  gemini: (agent) => ({
    ...agent,
    environment: (model) => ({ ...agent.environment(model), GEMINI_API_KEY: '' }),
  }),
}

for (const agent of agents.filter(({ name }) => name in strangers)) {
  describeWith(agent, () => {
    test.each(modes)('%s: without a login, the session says what to do', async (mode) => {
      await using hub = await startAgentHub(strangers[agent.name]!(agent))
      const name = 'stranger'
      await begin(hub, agent, mode, name)
      const turn = await hub.call('prompt_session', { session: name, text: 'FINAL never', timeout_ms: 60_000 })
      expect(['not-delivered', 'failed', 'waiting']).toContain(turn['status'])
      expect(turn['reason']).toMatch(/log ?in|sign in|API key|authenti/i)
      const { activity, last_message: said = '' } = await hub.session(name)
      expect(`${activity.reason} ${said}`).toMatch(/log ?in|sign in|API key|authenti/i)
      expect(hub.model.asked).toEqual([])
    })
  })
}

async function begin(hub: AgentHub, agent: Agent, mode: (typeof modes)[number], name: string): Promise<void> {
  const spec = { name, template: agent.name, working_dir: hub.workspace, ...(mode !== 'default' && { mode }) }
  await hub.call('create_session', spec)
}

/** The last message of the session is stored a moment after the end of the turn. */
async function says(hub: AgentHub, name: string, message: RegExp): Promise<void> {
  await expect.poll(async () => (await hub.session(name)).last_message, slow).toMatch(message)
}
