/** Flags for an agent, and resuming its conversation after it has ended. The agent is a small program of the test. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { runInProcess } from '../fixtures/run-cli.ts'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { failureOf, sessionOf, startSessionHub } from '../worlds/session-hub.ts'

let hub: OwnHub
beforeAll(async () => {
  hub = await startSessionHub()
  const program = join(hub.home, 'agent')
  // It prints its arguments, then each line of its input.
  writeFileSync(
    program,
    '#!/bin/sh\necho "args: $*"; while read -r line; do [ "$line" = "exit 1" ] && exit 1; echo "heard $line"; done\n',
  )
  chmodSync(program, 0o755)
  writeTemplate({
    name: 'agent',
    command: program,
    args: ['--own', '{conversation}', '{agent_args}'],
    conversation: {
      start: ['--session-id', '{conversation_id}'],
      resume: ['--resume', '{conversation_id}'],
      chosen_by: ['--continue'],
    },
  })
})
afterAll(() => hub[Symbol.asyncDispose]())

test('flags are passed to the agent unchanged, at the place that its template names', async () => {
  const { screen, agent_args } = await create('flags', { agent_args: ['--model', '{workspace} b'] })
  expect(screen).toMatch(/^args: --own --session-id [0-9a-f-]{36} --model \{workspace\} b$/m)
  expect(agent_args).toEqual(['--model', '{workspace} b'])
})

test('on the command line, the words after -- are flags for an agent and a command for a shell', async () => {
  const env = { SIGNALBOX_HOME: hub.home }
  const flags = ['new', 'cli-agent', '--template', 'agent', '--wait', 'text:args', '--', '--continue', 'x']
  expect((await runInProcess(flags, { env })).out).toMatch(/^args: --own --continue x$/m)
  const shell = ['new', 'cli-shell', '--template', 'shell', '--wait', 'exit', '--', 'echo', 'a', 'command']
  expect((await runInProcess(shell, { env })).out).toMatch(/^a command$/m)
  const mistaken = await runInProcess(['new', 'cli-flag', '--template', 'shell', '--', '--continue'], { env })
  expect(mistaken).toMatchObject({ code: 5, err: expect.stringContaining('is a flag, not a command') })
})

test('flags are refused if the template does not take any', async () => {
  const create = (more: object) => failureOf(hub, 'create_session', { name: 'no', agent_args: ['-x'], ...more })
  expect(await create({ template: 'shell' })).toMatch(/"agent_args": the template "shell" does not take flags/)
  expect(await create({ template: 'agent', command: 'cat' })).toMatch(/"agent_args"/)
})

test('an ended agent can be resumed with its conversation and all its settings', async () => {
  const policy = 'rules: [{ deny: "terminal_send_keys" }]'
  await hub.call('save_connector', { name: 'notes', transport: 'stdio', cmd: 'cat' })
  const connectors = [{ connector: 'notes', label: 'mine', priority: 3 }]
  const given = {
    labels: ['l'],
    description: 'd',
    tools: ['read_screen'],
    size: { cols: 90, rows: 20 },
    agent_args: ['-x'],
  }
  const first = await create('again', { ...given, policy, connectors })
  expect(await failureOf(hub, 'resume_session', { name: 'again' })).toMatch(/has not ended/)
  expect(first.can_resume).toBe(false)
  const id = /--session-id (\S+)/.exec(first.screen)?.[1]

  const { out } = await runInProcess(['kill', 'again'], { env: { SIGNALBOX_HOME: hub.home } })
  expect(out).toBe('again has been stopped. Resume it with: signalbox resume again')
  expect(await sessionOf(hub, first.id)).toMatchObject({ can_resume: true })
  const listed = await runInProcess(['ls', '--all'], { env: { SIGNALBOX_HOME: hub.home } })
  expect(listed.out).toMatch(/^again .*Resume it with: signalbox resume again$/m)

  await hub.restart('SIGKILL')
  const resumed = await runInProcess(['resume', 'again', '--prompt', 'go on', '--json'], {
    env: { SIGNALBOX_HOME: hub.home },
  })
  expect(JSON.parse(resumed.out)).toMatchObject({
    name: 'again',
    status: 'running',
    resumed_from: first.id,
    workspace_path: first.workspace_path,
    template: 'agent',
    prompt: { delivered: true },
    labels: ['l'],
    description: 'd',
    size: given.size,
    terminal_tools: ['read_screen'],
    agent_args: ['-x'],
  })
  await expect.poll(() => screenOf('again'), patience).toContain(`args: --own --resume ${id} -x`)
  await expect.poll(() => screenOf('again'), patience).toContain('heard go on')
  expect(await hub.call('get_policy', { scope: 'session', target: 'again' })).toMatchObject({ source: policy })
  expect(await hub.call('list_bindings', { session: 'again' })).toMatchObject({
    bindings: [{ connector: 'notes', label: 'mine', priority: 3 }],
  })

  // A second resume continues the same conversation.
  await hub.call('kill_session', { name: 'again' })
  await hub.call('resume_session', { name: 'again' })
  await expect.poll(() => screenOf('again'), patience).toContain(`--resume ${id}`)
})

test('resume_session refuses a session without a conversation and says why', async () => {
  await hub.call('create_session', { name: 'plain', command: 'true', wait: { for: 'exit' } })
  expect(await failureOf(hub, 'resume_session', { name: 'plain' })).toMatch(/no conversation to resume/)
  await create('chosen', { agent_args: ['--continue'] })
  await hub.call('kill_session', { name: 'chosen' })
  expect(await sessionOf(hub, 'chosen')).toMatchObject({ can_resume: false })
  expect(await failureOf(hub, 'resume_session', { name: 'chosen' })).toMatch(
    /started with --continue.*signalbox new chosen/,
  )
  const workspace = join(hub.home, 'lost')
  mkdirSync(workspace)
  await create('lost', { working_dir: workspace })
  await hub.call('kill_session', { name: 'lost' })
  rmSync(workspace, { recursive: true })
  expect(await failureOf(hub, 'resume_session', { name: 'lost' })).toMatch(/workspace.*is gone/)
})

test('a session that got no prompt is not offered for resuming', async () => {
  const agentHome = join(hub.home, 'claude')
  writeTemplate({
    ...(JSON.parse(readFileSync(join(hub.home, 'templates', 'agent.json'), 'utf8')) as object),
    name: 'claude-like',
    env: { CLAUDE_CONFIG_DIR: agentHome },
    conversation: {
      start: ['--session-id', '{conversation_id}'],
      resume: ['--resume', '{conversation_id}'],
      kept_by: 'claude',
    },
  })
  const end = async (name: string) => (await hub.call('kill_session', { name }))['can_resume']
  // The agent's home is missing, so the hub cannot tell whether there is a conversation.
  await create('unseen', { template: 'claude-like' })
  expect(await end('unseen')).toBe(true)

  mkdirSync(agentHome)
  await create('wordless', { template: 'claude-like' })
  expect(await end('wordless')).toBe(false)
  expect(await failureOf(hub, 'resume_session', { name: 'wordless' })).toMatch(/it got no prompt/)
  // Now the hub can tell.
  expect(await failureOf(hub, 'resume_session', { name: 'unseen' })).toMatch(/it got no prompt/)
  expect(await sessionOf(hub, 'unseen')).toMatchObject({ can_resume: false })

  const { screen } = await create('talked', { template: 'claude-like' })
  const id = /--session-id (\S+)/.exec(screen)?.[1]
  const project = join(agentHome, 'projects', '-some-place')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, `${id}.jsonl`), '')
  expect(await end('talked')).toBe(true)
  await hub.call('resume_session', { name: 'talked' })
  await expect.poll(() => screenOf('talked'), patience).toContain(`--resume ${id}`)
})

test('a resumed agent that fails says that the hub cannot see its conversations', async () => {
  const { id } = await create('hidden', {})
  await hub.call('kill_session', { name: 'hidden' })
  await hub.call('resume_session', { name: 'hidden' })
  await hub.call('send_input', { name: 'hidden', text: 'exit 1' })
  await expect
    .poll(() => sessionOf(hub, 'hidden'), patience)
    .toMatchObject({ resumed_from: id, last_message: expect.stringMatching(/exit code 1\..*cannot tell whether/) })
})

test('a conversation whose id Codex chose is found by workspace and time and never guessed', async () => {
  const codexHome = join(hub.home, 'codex')
  writeTemplate({
    ...(JSON.parse(readFileSync(join(hub.home, 'templates', 'agent.json'), 'utf8')) as object),
    name: 'codex-like',
    env: { CODEX_HOME: codexHome },
    conversation: { resume: ['resume', '{conversation_id}'], listed_by: 'codex' },
  })
  const { workspace_path: cwd } = await create('listed', { template: 'codex-like' })
  const rollout = (id: string, place: string, timestamp = new Date().toISOString()) => {
    const folder = join(codexHome, 'sessions', '2026', '01', '02')
    mkdirSync(folder, { recursive: true })
    const meta = { timestamp, type: 'session_meta', payload: { id, cwd: place, timestamp } }
    writeFileSync(join(folder, `rollout-${id}.jsonl`), `${JSON.stringify(meta)}\n{"type":"turn_context"}\n`)
  }
  rollout('elsewhere', '/elsewhere')
  rollout('older', cwd, '2020-01-01T00:00:00.000Z')
  await hub.call('kill_session', { name: 'listed' })
  // No conversation was started while it ran, but an older one was continued.
  await hub.call('resume_session', { name: 'listed' })
  await expect.poll(() => screenOf('listed'), patience).toContain('args: --own resume older')
  await hub.call('kill_session', { name: 'listed' })

  await create('mine', { template: 'codex-like', working_dir: cwd })
  rollout('mine', cwd)
  await hub.call('kill_session', { name: 'mine' })
  await hub.call('resume_session', { name: 'mine' })
  await expect.poll(() => screenOf('mine'), patience).toContain('args: --own resume mine')
  await hub.call('kill_session', { name: 'mine' })

  await create('two', { template: 'codex-like', working_dir: cwd })
  rollout('left', cwd)
  rollout('right', cwd)
  await hub.call('kill_session', { name: 'two' })
  expect(await failureOf(hub, 'resume_session', { name: 'two' })).toMatch(
    /2 conversations .*signalbox new two --template codex-like -- resume (left|right) \| resume (left|right)/,
  )
  await create('silent', { template: 'codex-like' })
  await hub.call('kill_session', { name: 'silent' })
  expect(await failureOf(hub, 'resume_session', { name: 'silent' })).toMatch(
    /no conversation to resume: it got no prompt/,
  )
  expect(await sessionOf(hub, 'silent')).toMatchObject({ can_resume: false })
})

test('a template is refused if it does not say where the arguments of a conversation go', async () => {
  const payload = { name: 'lacks', command: 'x', args: [], conversation: { resume: ['-r'] } }
  expect(await failureOf(hub, 'save_template', { payload })).toMatch(/"conversation": .*Add "\{conversation\}" to args/)
})

async function create(name: string, more: object): Promise<Session & { screen: string }> {
  const wait = { for: 'text', value: 'args:' }
  return (await hub.call('create_session', { name, template: 'agent', wait, ...more })) as unknown as Session & {
    screen: string
  }
}

async function screenOf(session: string): Promise<string> {
  return ((await hub.call('read_screen', { session }))['lines'] as string[]).join('\n')
}

function writeTemplate(template: Readonly<Record<string, unknown>>): void {
  writeFileSync(join(hub.home, 'templates', `${String(template['name'])}.json`), JSON.stringify(template))
}
