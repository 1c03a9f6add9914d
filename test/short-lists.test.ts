/** The lists that clients get if they name no toolsets: short, and enough for a day's work. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { terminalToolNames } from '../src/api/terminal-tools.ts'
import { essentialTools } from '../src/api/toolsets.ts'
import { createDemoRepository } from './fixtures/demo-repository.ts'
import { callTool } from './harness/modern-call.ts'
import { modern } from './http/modern-request.ts'
import { connectV2Legacy, connectV2Modern } from './interop/sdk-v2-client.ts'
import { type OwnHub, patience } from './worlds/own-hub.ts'
import { start, startSessionHub } from './worlds/session-hub.ts'

interface Listed {
  readonly name: string
  readonly outputSchema?: object
}

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(() => hub[Symbol.asyncDispose]())

async function list(options: { query?: string; token?: string } = {}): Promise<readonly Listed[]> {
  const { body } = await modern(hub, 'tools/list', {}, options)
  return (body as { result: { tools: readonly Listed[] } }).result.tools
}

async function agentOf(session: string): Promise<string> {
  return String((await hub.call('issue_token', { role: 'agent', session }))['token'])
}

function namesOf(tools: readonly Listed[]): readonly string[] {
  return tools.map(({ name }) => name)
}

function bytesOf(tools: readonly Listed[]): number {
  return Buffer.byteLength(JSON.stringify(tools))
}

test('a person’s list has the essentials and hub_status, in 16 KB, without output schemas', async () => {
  const tools = await list()
  expect(new Set(namesOf(tools))).toEqual(new Set([...essentialTools, 'hub_status']))
  expect(tools.filter((tool) => 'outputSchema' in tool)).toEqual([])
  expect(bytesOf(tools)).toBeLessThanOrEqual(16 * 1024)
  expect(await list({ query: '?toolsets=essentials' })).toEqual(tools)
})

test('toolsets that are named are listed with output schemas', async () => {
  const all = await list({ query: '?toolsets=all' })
  expect(namesOf(all)).toEqual(expect.arrayContaining([...essentialTools, 'set_policy', 'save_connector', 'prune']))
  // Their results are the result of another tool, a picture, or data that is not given twice.
  const without = ['call_tool', 'screenshot', 'read_output', 'read_recording']
  expect(namesOf(all.filter(({ outputSchema }) => !outputSchema)).toSorted()).toEqual(without.toSorted())

  const approvals = await list({ query: '?toolsets=approvals' })
  expect(approvals).toEqual(all.filter(({ name }) => /^hub_status$|approval|grant/.test(name)))
})

test('the essentials can be listed together with other toolsets', async () => {
  const names = namesOf(await list({ query: '?toolsets=essentials,events' }))
  const ofEvents = ['query_events', 'get_trace', 'list_turns', 'get_usage']
  expect(new Set(names)).toEqual(new Set([...essentialTools, 'hub_status', ...ofEvents]))
})

test('an agent’s list has 12 KB with every terminal tool, and no output schemas', async () => {
  await start(hub, 'equipped', 'cat', { tools: ['all'] })
  const token = await agentOf('equipped')
  const tools = await list({ token })
  expect(namesOf(tools).filter((name) => name.startsWith('terminal_'))).toHaveLength(terminalToolNames.length)
  expect(tools.filter((tool) => 'outputSchema' in tool)).toEqual([])
  expect(bytesOf(tools)).toBeLessThanOrEqual(12 * 1024)

  const named = await list({ token, query: '?toolsets=policy' })
  expect(named.find(({ name }) => name === 'policy_check')).toHaveProperty('outputSchema')
})

test('the repositories of an agent add at most 1.5 KB to its list', async () => {
  const workspace = createDemoRepository(join(hub.home, 'workspaces', 'work'))
  await start(hub, 'reader', 'cat', { working_dir: workspace })
  const tools = await list({ token: await agentOf('reader') })
  const added = tools.filter(({ name }) => name.startsWith('repositories_'))
  expect(added).toHaveLength(4)
  expect(bytesOf(added)).toBeLessThanOrEqual(1.5 * 1024)
})

test('an unlisted tool is found by search_tools, and recorded under its own name when call_tool calls it', async () => {
  const { tools } = await hub.call('search_tools', { query: 'connector bind', limit: 3 })
  expect(namesOf(tools as readonly Listed[])).toContain('bind_connector')

  await start(hub, 'typed', 'cat')
  const typed = { session: 'typed', text: 'a secret' }
  expect(await hub.call('call_tool', { name: 'send_text', arguments: typed })).toMatchObject({ success: true })
  const { events } = await hub.call('query_events', { type: 'tool-called', order: 'newest', limit: 2 })
  const recorded = { session: 'typed', text: '[not recorded]' }
  expect(events).toMatchObject([
    { payload: { tool: 'send_text', arguments: recorded } },
    { payload: { tool: 'create_session' } },
  ])
})

test.each([
  ['legacy', connectV2Legacy],
  ['modern', connectV2Modern],
])('an assistant with the SDK (%s) needs only the listed tools for its day', async (era, connect) => {
  const name = `day-${era}`
  await hub.call('set_policy', { scope: 'hub', source: 'default: ask' })
  await using client = await connect({ url: hub.url, token: hub.token })
  const listed = await client.listTools()
  const call = async (tool: string, args: object = {}) => {
    expect(listed).toContain(tool)
    return client.callTool(tool, { ...args })
  }

  // It finds out what it can start, and starts it.
  const { templates } = await call('list_templates')
  expect(templates).toContainEqual(expect.objectContaining({ name: 'shell', available: true }))
  const command = 'echo ready; while read -r line; do echo "got $line"; done'
  const wait = { for: 'text', value: 'ready' }
  expect(await call('create_session', { name, template: 'shell', command, wait })).toMatchObject({ met: true })

  // It watches the session and types.
  const { sessions } = await call('list_sessions', { status: 'running' })
  expect(sessions).toContainEqual(expect.objectContaining({ name }))
  await call('send_input', { name, text: 'good morning' })
  expect(await call('wait_session', { name, for: 'text', value: 'got good morning' })).toMatchObject({ met: true })
  await call('send_keys', { session: name, keys: 'o k Enter' })
  expect(await call('wait_session', { name, for: 'text', value: 'got ok' })).toMatchObject({ met: true })
  const { lines } = await call('read_screen', { session: name })
  expect((lines as readonly string[]).join('\n')).toMatch(/^ready[\s\S]*got good morning[\s\S]*got ok/)
  await call('screenshot', { session: name })

  // The agent of the session makes a call that needs an approval. The assistant gives it.
  const agent = { url: hub.url, token: await agentOf(name) }
  const held = callTool(agent, 'sessions_list')
  const { approvals } = await call('wait_approvals', { timeout_ms: patience.timeout })
  const pending = (approvals as readonly { id: string; tool: string }[]).find(({ tool }) => tool === 'sessions_list')
  expect(await call('get_session', { name })).toMatchObject({ approvals_pending: 1, activity: { is: 'waiting' } })
  expect(await call('list_approvals', { session: name })).toMatchObject({ approvals: [{ id: pending?.id }] })
  await call('decide_approval', { id: pending?.id, decision: 'approve', reason: 'go on' })
  expect(await held).toMatchObject({ sessions: expect.any(Array) })

  // It needs a tool that is not listed.
  const { tools } = await call('search_tools', { query: 'events log' })
  expect(namesOf(tools as readonly Listed[])).toContain('query_events')
  const query = { session: name, type: 'approval-requested' }
  const { events } = await call('call_tool', { name: 'query_events', arguments: query })
  expect(events).toHaveLength(1)

  // It reads the log and ends the session.
  const { log } = await call('tail_log', { name })
  expect(log).toMatch(/got good morning[\s\S]*got ok/)
  await call('kill_session', { name })
  expect(await call('wait_session', { name, for: 'exit' })).toMatchObject({ met: true })
  expect(await call('hub_status')).toMatchObject({ name: 'signalbox' })
})
