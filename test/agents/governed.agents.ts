/** A project with settings of its own, under real agents: `governed` says so, and only a person trusts it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LoggedEvent } from '../../src/api/event.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import type { AgentName } from './agents.ts'
import { agentPrograms, agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const of = (wanted: AgentName) => agents.find(({ name }) => name === wanted)!

/** Starts a session in a new workspace with these files. */
async function start(hub: AgentHub, spec: object, files: Readonly<Record<string, string | object>> = {}) {
  const name = `s${Math.random().toString(36).slice(2)}`
  const workspace = join(hub.workspace, name)
  mkdirSync(workspace)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  await hub.call('create_session', { name, working_dir: workspace, ...spec })
  return {
    name,
    governed: async () => (await hub.session(name)).governed,
    made: (file: string) => existsSync(join(workspace, file)),
    prompt: (text: string) => hub.call('prompt_session', { session: name, text }),
    async pressed() {
      const { id } = await hub.session(name)
      const { events } = await hub.call('query_events', { session: id, type: 'dialog-answered' })
      return new Set((events as LoggedEvent[]).map(({ payload }) => payload['pressed']))
    },
  }
}

/** Presses the key as long as this holds, because a new dialog ignores keys for a moment. */
async function press(hub: AgentHub, name: string, keys: string, holds: () => Promise<boolean>): Promise<void> {
  await until(holds)
  while (await holds()) {
    await hub.call('send_keys', { session: name, keys })
    await setTimeout(1_000)
  }
}

const hooks = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] } }

describeWith(of('claude'), () => {
  let hub: AgentHub
  beforeAll(async () => {
    hub = await startAgentHub(of('claude'))
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  test('the hub answers the question of a project without settings, and records it', async () => {
    const { governed, pressed } = await start(hub, { template: 'claude' })
    await until(async () => (await governed())?.is === 'yes')
    expect(await pressed()).toEqual(new Set(['Down', 'Enter']))
  })

  const plugin = '.claude/skills/any/.claude-plugin/plugin.json'
  test.each([
    ['settings', { '.claude/settings.json': hooks }, '.claude/settings.json (hooks)'],
    [
      'a plugin among its skills',
      { [plugin]: { name: 'any', version: '1.0.0' }, '.claude/skills/any/hooks/hooks.json': hooks },
      `${plugin} (plugins)`,
    ],
  ])('a person answers that of a project with %s, which then is partly governed', async (_what, files, reason) => {
    const { name, governed, made, pressed, prompt } = await start(hub, { template: 'claude' }, files)
    const trust = 'Claude Code asks whether you trust this folder'
    await until(async () => (await hub.session(name)).activity.reason === trust)
    expect(JSON.stringify(await prompt('FINAL done'))).toContain(trust)
    expect({ pressed: await pressed(), hasRun: made('hook-ran') }).toEqual({ pressed: new Set(), hasRun: false })
    const shows = (marked: RegExp) => async () => marked.test(await hub.screen(name))
    await press(hub, name, 'Down', shows(/❯ (\d\. )?No, exit/))
    await press(hub, name, 'Enter', shows(/❯ (\d\. )?Yes, I trust/))
    await until(async () => (await governed())?.is === 'partly')
    expect((await governed())?.reason).toContain(reason)
    await until(() => made('hook-ran'))
  })

  test('without a terminal it asks nobody, and is partly governed', async () => {
    const files = { '.claude/settings.json': hooks }
    const { governed, made, prompt } = await start(hub, { template: 'claude', mode: 'structured' }, files)
    expect(await prompt('FINAL done')).toMatchObject({ answer: 'done' })
    expect({ governed: (await governed())?.is, hasRun: made('hook-ran') }).toEqual({ governed: 'partly', hasRun: true })
  })

  test('as a plain command it is not governed', async () => {
    const { governed } = await start(hub, { command: 'env X=1 claude' })
    expect(await governed()).toMatchObject({ is: 'no', reason: expect.stringContaining('--template claude') })
  })

  test('typed into a shell it is not governed, until it ends', async () => {
    const { name, governed } = await start(hub, { template: 'shell' })
    await hub.call('send_input', { name, text: join(agentPrograms, 'claude') })
    await until(async () => (await hub.screen(name)).includes('No, exit'))
    // The hub looks at most once a second which program is in the foreground.
    await until(async () => (await governed())?.is === 'no')
    // The shell may show the dialog of a Claude Code that has ended.
    await press(hub, name, 'Enter', async () => (await governed()) !== undefined)
  })
})

describeWith(of('codex'), () => {
  let hub: AgentHub
  beforeAll(async () => {
    hub = await startAgentHub(of('codex'))
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  test('in the mode "terminal" it is not governed', async () => {
    const { governed } = await start(hub, { template: 'codex', mode: 'terminal' })
    expect(await governed()).toMatchObject({ is: 'no', reason: expect.stringContaining('--mode both') })
  })

  test('with settings of the project it is partly governed', async () => {
    const files = { '.codex/config.toml': 'notify = ["touch", "notified"]' }
    const { governed } = await start(hub, { template: 'codex' }, files)
    await until(async () => (await governed())?.is === 'partly')
    expect((await governed())?.reason).toContain('.codex/config.toml (helper programs)')
  })
})
