/** Dialogs of the real agents: no prompt is typed into a dialog, and no text accepts one. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import type { Agent, AgentName } from './agents.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const name = 'agent'
const find = (wanted: AgentName) => agents.find((agent) => agent.name === wanted)!

function begin(hub: AgentHub, template: AgentName, prompt: string) {
  return hub.call('create_session', { name, template, working_dir: hub.workspace, prompt })
}

/** Each agent with the choice that means no. */
const asking: readonly (readonly [Agent, string])[] = [
  [find('claude'), 'No'],
  [find('codex'), '3'],
  [find('gemini'), 'No, suggest changes'],
]

for (const [agent, no] of asking) {
  describeWith(agent, () => {
    test('refuses a text for its permission dialog and accepts an answer, and nothing runs', async () => {
      await using hub = await startAgentHub(agent)
      const made = join(hub.workspace, 'made.txt')
      const { prompt } = await begin(hub, agent.name, `${agent.askingCall('echo it > made.txt')}\nFINAL done`)
      expect(prompt).toEqual({ delivered: true })
      await hub.call('wait_session', { name, for: 'waiting', timeout_ms: 60_000 })
      await expect.poll(() => hub.screen(name), { timeout: 60_000 }).toMatch(agent.asks)
      await expect(hub.call('send_input', { name, text: 'No, stop.' })).rejects.toThrow(/Nothing was typed/)
      expect(await hub.screen(name)).toMatch(agent.asks)
      await hub.call('send_input', { name, text: no })
      await expect.poll(() => hub.screen(name), { timeout: 60_000 }).not.toMatch(agent.asks)
      await hub.call('wait_session', { name, for: 'idle', timeout_ms: 60_000 })
      expect(existsSync(made)).toBe(false)
    })
  })
}

interface Start {
  readonly what: string
  readonly agent: Agent
  readonly reason: RegExp
  readonly shows: RegExp
}

const claude = find('claude')
const claudeConfig = (settings: ReturnType<Agent['settings']>) => settings['.claude.json'] as object
const starts: readonly Start[] = [
  {
    what: 'an offer of another renderer',
    agent: {
      ...claude,
      environment: (model) => ({ ...claude.environment(model), CLAUDE_CODE_FORCE_FULLSCREEN_UPSELL: '1' }),
    },
    reason: /Try the new fullscreen renderer\?/,
    shows: /❯ 1\. Yes, try it/,
  },
  {
    what: 'a question about the API key',
    agent: {
      ...claude,
      settings: (model) => {
        const settings = claude.settings(model)
        return { ...settings, '.claude.json': { ...claudeConfig(settings), customApiKeyResponses: undefined } }
      },
    },
    reason: /whether to use the key in ANTHROPIC_API_KEY/,
    shows: /❯ No \(recommended\)/,
  },
  {
    what: 'a sign-in',
    agent: { ...find('codex'), settings: () => ({}), environment: () => ({}) },
    reason: /Codex wants you to sign in/,
    shows: /1\. Sign in with ChatGPT/,
  },
  {
    what: 'a choice of logins',
    agent: { ...find('gemini'), settings: () => ({}), environment: () => ({}) },
    reason: /Gemini CLI wants you to log in/,
    shows: /● 1\. Sign in with Google/,
  },
]

for (const { what, agent, reason, shows } of starts) {
  describeWith(agent, () => {
    test(`holds back a prompt that would go into ${what}, and reports it at once`, async () => {
      await using hub = await startAgentHub(agent)
      const { prompt, activity } = await begin(hub, agent.name, 'Fix the tests')
      expect(prompt).toEqual({
        delivered: false,
        reason: expect.stringMatching(reason),
        screen: expect.stringMatching(shows),
      })
      expect(activity).toMatchObject({ is: 'waiting', reason: expect.stringMatching(reason) })
      expect(await hub.screen(name)).toMatch(shows)
    })
  })
}

describeWith(find('codex'), () => {
  test('accepts a prompt although a newer version exists, and does not update itself', async () => {
    const codex = find('codex')
    const known = { latest_version: '9.9.9', last_checked_at: new Date().toISOString(), dismissed_version: null }
    const config = (model: string) => codex.settings(model)['.codex/config.toml'] as string
    const settings: Agent['settings'] = (model) => ({
      '.codex/config.toml': config(model).replace(/^check_for_update.*\n/m, ''),
      '.codex/version.json': known,
    })
    await using hub = await startAgentHub({ ...codex, settings })
    expect((await begin(hub, 'codex', 'FINAL I have it'))['prompt']).toEqual({ delivered: true })
    expect(JSON.parse(readFileSync(join(hub.home, '.codex/version.json'), 'utf8'))).toMatchObject(known)
  })
})
