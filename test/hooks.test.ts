/** The hooks of an agent in a terminal: they ask and report with the token of the session, and can never answer. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import type { Session } from '../src/api/session.ts'
import { runInProcess } from './fixtures/run-cli.ts'
import { until } from './fixtures/until.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'

const policy = `
rules:
  - allow: own_shell
    when: { properties: { command: { const: ls } }, required: [command] }
  - { deny: own_write, reason: it only reads }
  - { abort: own_fetch, reason: it stays here }
  - { ask: own_edit, reason: a person looks first }
`
const conversation = 'c0000000-0000-4000-8000-000000000001'

let place: Awaited<ReturnType<typeof createTempHome>>
let hub: HubProcess
let token: string
let transcript: string

beforeAll(async () => {
  place = await createTempHome()
  const home = join(place.path, 'hub')
  transcript = join(place.path, `${conversation}.jsonl`)
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const template = { name: 'agent', agent: 'claude', command: 'cat', args: [] }
  writeFileSync(join(home, 'templates/agent.json'), JSON.stringify(template))
  hub = await startHubProcess({ home })
  await callTool(hub, 'create_session', { name: 'a', template: 'agent', policy })
  token = String((await callTool(hub, 'issue_token', { role: 'agent', session: 'a' }))['token'])
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

function post(
  body: unknown,
  { name = 'claude', as = token, signal }: { name?: string; as?: string; signal?: AbortSignal } = {},
) {
  return fetch(new URL(`/hooks/${name}`, hub.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

const message = (hook_event_name: string, tool_name: string, tool_input: object, tool_use_id?: string) => ({
  session_id: conversation,
  transcript_path: transcript,
  cwd: '/project',
  permission_mode: 'default',
  hook_event_name,
  tool_name,
  tool_input,
  ...(tool_use_id !== undefined && { tool_use_id }),
})
const before = async (tool: string, input: object, id?: string) =>
  (await (await post(message('PreToolUse', tool, input, id))).json()) as object
const session = async () => (await callTool(hub, 'get_session', { name: 'a' })) as unknown as Session
const approvals = async (status = 'pending') =>
  (await callTool(hub, 'list_approvals', { session: 'a', status }))['approvals'] as Approval[]

test('the first hook shows that the gate is in place', async () => {
  expect((await session()).governed).toMatchObject({ is: 'no' })
  const start = JSON.stringify({
    session_id: conversation,
    transcript_path: transcript,
    hook_event_name: 'SessionStart',
  })
  const env = { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: token }
  const { code, out } = await runInProcess(['hook', 'claude'], { env, stdin: start })
  expect({ code, out: out.trim() }).toEqual({ code: 0, out: '{}' })
  expect((await session()).governed).toEqual({ is: 'yes' })
})

test('a mode in which the agent asks no person is shown', async () => {
  await post({ ...message('UserPromptSubmit', '', {}), permission_mode: 'bypassPermissions' })
  expect((await session()).governed?.reason).toContain('bypassPermissions')
  await post(message('UserPromptSubmit', '', {}))
  expect((await session()).governed).toEqual({ is: 'yes' })
})

test('rules allow, deny, end the turn, or show the agent’s own dialog', async () => {
  expect(await before('Bash', { command: 'ls' })).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } })
  expect(await before('Write', { file_path: 'x', content: '' })).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('it only reads'),
    },
  })
  expect(await before('WebFetch', { url: 'http://x' })).toMatchObject({
    continue: false,
    hookSpecificOutput: { permissionDecision: 'deny' },
  })
  expect(await before('Edit', { file_path: 'x' })).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'a person looks first' },
  })
  // Without a rule, the settings of the agent decide. Its tools of the hub have been decided elsewhere.
  expect(await before('Bash', { command: 'make' })).toEqual({})
  expect(await before('mcp__signalbox__terminal_type', {})).toEqual({})
  expect(await approvals()).toEqual([])
})

test('a person answers the question of the agent', async () => {
  const asking = post(message('PermissionRequest', 'Bash', { command: 'make' }))
  const { id, tool, arguments: args } = await until(async () => (await approvals())[0])
  expect({ tool, args }).toEqual({ tool: 'own_shell', args: { command: 'make', cwd: '/project', agent_tool: 'Bash' } })
  await callTool(hub, 'decide_approval', { id, decision: 'deny', reason: 'not now' })
  expect(await (await asking).json()).toMatchObject({
    hookSpecificOutput: { decision: { behavior: 'deny', message: expect.stringContaining('not now') } },
  })
})

test('a question whose dialog was closed is abandoned', async () => {
  const dialog = new AbortController()
  const asking = post(message('PermissionRequest', 'Bash', { command: 'make' }), { signal: dialog.signal }).catch(
    () => {},
  )
  const { id } = await until(async () => (await approvals())[0])
  dialog.abort()
  await asking
  await until(async () => (await approvals('abandoned')).some((each) => each.id === id))
})

test('only the token of a session gets an answer, and only for the hooks of its agent', async () => {
  const hello = message('UserPromptSubmit', '', {})
  expect((await post(hello, { as: hub.token })).status).toBe(403)
  expect((await post(hello, { as: 'sb_agent_wrong' })).status).toBe(401)
  expect((await post(hello, { name: 'codex' })).status).toBe(404)
  expect((await post({ hello: 1 })).status).toBe(404)
  expect((await post([1])).status).toBe(400)
})

test('the agent cannot answer for the person: not with its token, not with other hooks, not in its transcript', async () => {
  const input = { file_path: '/project/secret', new_string: 'x' }
  await before('Edit', input, 'call-1')
  const held = post(message('PermissionRequest', 'Edit', input))
  const { id } = await until(async () => (await approvals())[0])
  const agent = { url: hub.url, token }
  await expect(callTool(agent, 'decide_approval', { id, decision: 'approve' })).rejects.toThrow()
  for (const event of ['PostToolUse', 'PermissionRequest_', 'Stop', 'PermissionDenied', 'Notification']) {
    await post({ ...message(event, 'Edit', input, 'call-1'), decision: 'approve', approval: id })
  }
  expect(await approvals()).toMatchObject([{ id, status: 'pending', waiting: true }])
  // It asks for the same again, and writes into the transcript that a person has accepted both.
  await before('Edit', input, 'call-2')
  const second = post(message('PermissionRequest', 'Edit', input))
  const lines = ['call-1', 'call-2'].map((call) =>
    JSON.stringify({
      type: 'user',
      uuid: `uuid-${call}`,
      message: { content: [{ type: 'tool_result', tool_use_id: call, content: 'done' }] },
      permissionDecision: { decision: 'accept', source: 'user_temporary' },
    }),
  )
  writeFileSync(transcript, `${lines.join('\n')}\n`)
  const answers = [held, second].map(async (asking) => (await asking).json())
  // The approval has ended, but the agent gets no permission: its dialog still waits for the person.
  expect(await Promise.race(answers)).toEqual({})
  const other = await until(async () => (await approvals())[0])
  await callTool(hub, 'decide_approval', { id: other.id, decision: 'deny' })
  const behaviors = (await Promise.all(answers)).map((answer) => JSON.stringify(answer))
  expect(behaviors.filter((answer) => answer.includes('allow'))).toEqual([])
  expect(behaviors.filter((answer) => answer.includes('deny'))).toHaveLength(1)
})
