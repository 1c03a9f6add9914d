/** `governed` says what is known: of agents without a gate, and of agents whose project has settings of its own. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LoggedEvent } from '../src/api/event.ts'
import type { Session } from '../src/api/session.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { until } from './fixtures/until.ts'
import { compileCache } from './harness/compile-cache.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'

const menu = fileURLToPath(new URL('fixtures/menu-program.ts', import.meta.url))

let place: Awaited<ReturnType<typeof createTempHome>>
let home: string
let hub: HubProcess

const trusting = {
  command: process.execPath,
  args: [menu, 'plain', 'No, exit', 'Yes, I trust this folder'],
  env: compileCache,
  prompt: { ready: '\\$ ', fallback_ms: 60_000 },
  questions: [
    { shows: '❯ (\\d\\. )?No, exit', keys: 'Down' },
    { shows: '❯ (\\d\\. )?Yes, I trust this folder', keys: 'Enter' },
  ],
}

const templates = [
  { name: 'claude', agent: 'claude', command: 'cat', args: [] },
  { name: 'seeded', agent: 'claude', command: 'cat', args: [], include_files: ['.claude/settings.json'] },
  { name: 'codex', agent: 'codex', command: 'cat', args: [], mode: 'terminal' },
  { name: 'strict', agent: 'codex', command: 'cat', args: [], mode: 'terminal', own_tools: 'required' },
  { name: 'trusting', agent: 'claude', ...trusting },
  { name: 'bare', driver: 'opencode', mode: 'both', command: 'cat', args: [] },
]
const hookSettings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] }, env: { A: '1' } }

beforeAll(async () => {
  place = await createTempHome()
  home = join(place.path, 'hub')
  for (const template of templates) put(join(home, 'templates', `${template.name}.json`), template)
  put(join(home, 'templates/seeded/.claude/settings.json'), hookSettings)
  const namedClaude = join(place.path, 'asking/claude')
  mkdirSync(dirname(namedClaude))
  symlinkSync(process.execPath, namedClaude)
  put(join(home, 'templates/nameless.json'), { name: 'nameless', ...trusting, command: namedClaude })
  const program = '#!/bin/sh\necho "I am $0"\nread -r line\n'
  for (const agent of ['codex', 'claude']) put(join(place.path, 'bin', agent), program, 0o755)
  hub = await startHub()
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

function startHub(): Promise<HubProcess> {
  const model = { SIGNALBOX_MODEL: 'openai-compatible/any', SIGNALBOX_MODEL_BASE_URL: 'http://127.0.0.1:1/v1' }
  const PATH = `${place.path}/bin:${process.env['PATH']}`
  return startHubProcess({ home, env: { ...model, SHELL: '/bin/sh', PATH } })
}

function put(path: string, content: string | object, mode = 0o600): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  chmodSync(path, mode)
  return path
}

let count = 0
/** Starts a session in a new workspace with these files. */
async function start(spec: object, files: Readonly<Record<string, string | object>> = {}) {
  const name = `s${++count}`
  const workspace = join(place.path, 'work', name)
  mkdirSync(workspace, { recursive: true })
  for (const [path, content] of Object.entries(files)) put(join(workspace, path), content)
  const created = await callTool(hub, 'create_session', { name, working_dir: workspace, ...spec })
  const look = async () => (await callTool(hub, 'get_session', { name })) as unknown as Session
  const governed = async () => (await look()).governed
  const type = (text: string) => callTool(hub, 'send_input', { name, text })
  const screen = async () => ((await callTool(hub, 'read_screen', { session: name }))['lines'] as string[]).join('\n')
  return { name, workspace, created: created as unknown as Session, look, governed, type, screen }
}

/** The first hook of the agent, which shows that its gate is in place. */
async function runHook(name: string): Promise<void> {
  const { token } = (await callTool(hub, 'issue_token', { role: 'agent', session: name })) as { token: string }
  const stdin = JSON.stringify({ hook_event_name: 'SessionStart' })
  await runInProcess(['hook', 'claude'], { env: { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: token }, stdin })
}

const ungoverned = (agent: string) => ({
  is: 'no',
  reason: expect.stringMatching(new RegExp(`signalbox new --template ${agent} --mode \\w+`)),
})

describe('an agent without a gate is not governed', () => {
  test('Codex in the mode "terminal"', async () => {
    const { created } = await start({ template: 'codex' })
    expect(created.governed).toEqual(ungoverned('codex'))
  })

  test.each([
    ['claude', 'claude'],
    ['X=1 claude', 'claude'],
    ['cd / && env X=1 codex', 'codex'],
    ['bash -c "codex exec x"', 'codex'],
  ])('the shell line %s', async (command, agent) => {
    const { created } = await start({ command })
    expect(created.governed).toEqual(ungoverned(agent))
  })

  test('an absolute path with arguments', async () => {
    const { created } = await start({ command: join(place.path, 'bin/codex'), args: ['exec', 'x'] })
    expect(created.governed).toEqual(ungoverned('codex'))
  })

  test('typed into a shell, as long as it runs', async () => {
    const { created, governed, type, screen } = await start({ template: 'shell' })
    expect(created.governed).toBeUndefined()
    await type(join(place.path, 'bin/codex'))
    await until(async () => (await screen()).includes('/bin/codex'))
    await until(async () => (await governed())?.is === 'no')
    expect(await governed()).toEqual(ungoverned('codex'))
    await type('')
    await until(async () => (await governed()) === undefined)
  })

  test('in the middle of a pipe', async () => {
    const { governed, type } = await start({ template: 'shell' })
    await type(`sleep 600 | ${place.path}/bin/claude | cat`)
    await until(async () => (await governed())?.is === 'no')
    expect(await governed()).toEqual(ungoverned('claude'))
  })

  test('under the driver of an agent that the template does not name', async () => {
    const { created } = await start({ template: 'bare' })
    expect(created.governed).toEqual(ungoverned('opencode'))
  })

  test('beside the built-in agent, in its shell', async () => {
    const { created, governed, type } = await start({ template: 'assistant', sandbox: 'off' })
    expect(created.governed).toEqual({ is: 'yes' })
    await type(join(place.path, 'bin/codex'))
    await until(async () => (await governed())?.is === 'partly')
    await type('')
    await until(async () => (await governed())?.is === 'yes')
  })

  test('a command that only mentions an agent is none', async () => {
    const { created } = await start({ command: 'echo codex; cat' })
    expect(created.governed).toBeUndefined()
  })
})

test('"new" and "ls" say in words that an agent is not governed', async () => {
  const env = { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: hub.token, SIGNALBOX_HOME: home }
  const { err } = await runInProcess(['new', 'told', '--new-dir', '--', 'codex', 'exec'], { env })
  expect(err.split('\n')).toContainEqual(
    expect.stringMatching(/^signalbox: not governed: Codex .* signalbox new --template codex --mode both$/),
  )
  const { out } = await runInProcess(['ls'], { env })
  expect(out.split('\n').find((line) => line.startsWith('told'))).toMatch(/ no .*Codex was started as a plain command/)
  const { err: none } = await runInProcess(['new', 'silent', '--new-dir', '--', 'cat'], { env })
  expect(none).not.toContain('governed')
})

test('a template that requires a gate starts no agent without one', async () => {
  await expect(start({ template: 'strict' })).rejects.toThrow(/requires.*own tools/s)
})

describe('settings of the project', () => {
  test('make a session partly governed, by name and kind', async () => {
    const { name, governed } = await start({ template: 'claude' }, { '.claude/settings.json': hookSettings })
    expect(await governed()).toMatchObject({ is: 'no', unproven: true })
    await runHook(name)
    await until(async () => (await governed())?.is === 'partly')
    expect(await governed()).toEqual({
      is: 'partly',
      reason: expect.stringContaining('.claude/settings.json (hooks, environment)'),
    })
  })

  test('count from the moment they appear, also after they are gone, and for the next hub', async () => {
    const { name, workspace, governed } = await start({ template: 'claude' })
    await runHook(name)
    await until(async () => (await governed())?.is === 'yes')
    const file = put(join(workspace, '.claude/settings.local.json'), hookSettings)
    await until(async () => (await governed())?.is === 'partly')
    rmSync(file)
    await hub.end('SIGKILL')
    hub = await startHub()
    await runHook(name)
    await until(async () => (await governed())?.is === 'partly')
    expect((await governed())?.reason).toContain('.claude/settings.local.json')
  })

  test('that the template itself brings do not count, until they are changed', async () => {
    const { name, workspace, governed } = await start({ template: 'seeded' })
    await runHook(name)
    await until(async () => (await governed())?.is === 'yes')
    put(join(workspace, '.claude/settings.json'), { ...hookSettings, more: 1 })
    await until(async () => (await governed())?.is === 'partly')
  })

  test.each([
    ['a file that is no JSON', { '.claude/settings.json': '{' }],
    ['a folder in the place of a file', { '.claude/settings.json/x': '' }],
  ])('that cannot be understood count: %s', async (_what, files) => {
    const { name, governed } = await start({ template: 'claude' }, files)
    await runHook(name)
    await until(async () => (await governed())?.is === 'partly')
    expect((await governed())?.reason).toContain('.claude/settings.json (not readable)')
  })
})

describe('the question whether the folder is trusted', () => {
  const answered = async (session: string) =>
    (await callTool(hub, 'query_events', { session, type: 'dialog-answered' }))['events'] as LoggedEvent[]

  test('is answered by the hub, which records what it pressed', async () => {
    const { look, screen } = await start({ template: 'trusting' })
    await until(async () => (await screen()).includes('took Yes, I trust this folder'))
    const { id } = await look()
    const pressed = new Set((await answered(id)).map(({ payload }) => payload['pressed']))
    expect(pressed).toEqual(new Set(['Down', 'Enter']))
  })

  test.each([
    ['', 'trusting'],
    [', also by a template that does not say that it runs Claude Code', 'nameless'],
  ])('goes to the person if the project has settings, and a prompt says so%s', async (_how, template) => {
    const { name, look, screen } = await start({ template }, { '.claude/settings.json': hookSettings })
    await until(async () => (await look()).activity.is === 'waiting')
    const prompted = await callTool(hub, 'prompt_session', { session: name, text: 'hello' }).catch(String)
    expect(JSON.stringify(prompted)).toMatch(/waits for a person/)
    expect(await screen()).toContain('❯ No, exit')
    expect(await answered((await look()).id)).toEqual([])
    // The person may.
    await callTool(hub, 'send_keys', { session: name, keys: 'Down' })
    await until(async () => (await screen()).includes('❯ Yes'))
    await callTool(hub, 'send_keys', { session: name, keys: 'Enter' })
    await until(async () => (await screen()).includes('took Yes'))
  })
})
