/** The view of an agent on its bindings while they are added, fail, change and are removed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { patience } from '../worlds/own-hub.ts'
import { type GateWorld, startGateWorld } from '../worlds/gate-world.ts'

let world: GateWorld
beforeAll(async () => {
  world = await startGateWorld()
  await world.setPolicy('default: allow')
})
afterAll(() => world[Symbol.asyncDispose]())

async function ask(method: string, params: object = {}, query = ''): Promise<Record<string, never>> {
  const { body } = await modern(world.agent, method, params, { query })
  return (body as { result: Record<string, never> }).result
}

async function toolNames(query = ''): Promise<readonly string[]> {
  const { tools } = await ask('tools/list', {}, query)
  return (tools as unknown as { name: string }[]).map(({ name }) => name)
}

async function stateOf(mount: string): Promise<unknown> {
  const { contents } = await ask('resources/read', { uri: `resource://mounts/${mount}` })
  return JSON.parse((contents as unknown as { text: string }[])[0]!.text)
}

const silent = { transport: 'stdio', cmd: 'sleep', args: ['1000'], options: { handshake_ms: 60_000 } }

test('tools are listed under the name of the mount, with the upstream’s own name', async () => {
  await expect.poll(() => toolNames(), patience).toContain('up_act_now')
  const { tools } = await ask('tools/list')
  const tool = (tools as unknown as { name: string }[]).find(({ name }) => name === 'up_act_now')
  expect(tool).toMatchObject({ _meta: { 'io.signalbox/original': { mount: 'up', tool: 'Act-Now' } } })
  expect(await stateOf('up')).toEqual({ state: 'running', tools: ['up_act_now'] })
})

test('the hub’s own mounts have a state too, which follows the settings', async () => {
  expect(await stateOf('policy')).toMatchObject({ state: 'running', tools: expect.arrayContaining(['policy_check']) })
  const connection = await connectLegacy(world.agent)
  using stream = await connection.listen()
  await stream.next() // opens the stream; carries no message
  await connection.request('resources/subscribe', { uri: 'resource://mounts/terminal' })
  await world.call('update_session', { name: 'agent', tools: ['read_screen'] })
  await expect.poll(async () => JSON.stringify(await stream.next()), patience).toContain('resource://mounts/terminal')
  expect(await stateOf('terminal')).toEqual({ state: 'running', tools: ['terminal_read_screen'] })
  await world.call('update_session', { name: 'agent', tools: [] })
})

test('an upstream that does not answer delays no list, and is named as missing', async () => {
  await world.call('save_connector', { name: 'mute', ...silent })
  await world.call('bind_connector', { session: 'agent', connector: 'mute' })
  const { tools, _meta } = await ask('tools/list')
  expect((tools as unknown as { name: string }[]).map(({ name }) => name)).toContain('up_act_now')
  expect(_meta).toMatchObject({ 'io.signalbox/missing': [{ mount: 'mute', state: 'initializing' }] })
  expect(await stateOf('mute')).toEqual({ state: 'initializing' })
  await world.call('unbind_connector', { session: 'agent', label: 'mute' })
  expect((await ask('tools/list'))['_meta']).not.toHaveProperty('io.signalbox/missing')
})

test('an upstream that cannot start is shown with the reason', async () => {
  await world.call('save_connector', { name: 'absent', transport: 'stdio', cmd: 'no-such-program-anywhere' })
  await world.call('bind_connector', { session: 'agent', connector: 'absent' })
  const reason = expect.stringContaining('no-such-program-anywhere')
  await expect.poll(() => stateOf('absent'), patience).toEqual({ state: 'failed', error: reason })
  const { body } = await modern(world.agent, 'tools/call', { name: 'absent_tool', arguments: {} })
  expect(body).toMatchObject({ error: { code: -32602, message: reason } })
  await world.call('unbind_connector', { session: 'agent', label: 'absent' })
})

test('the agent is notified when a person attaches or detaches a mount', async () => {
  const connection = await connectLegacy(world.agent)
  using stream = await connection.listen()
  await world.call('bind_connector', { session: 'agent', connector: 'counting', label: 'more' })
  await expect.poll(() => toolNames(), patience).toContain('more_act_now')
  await stream.next() // opens the stream; carries no message
  expect(JSON.stringify(await stream.next())).toContain('list_changed')
  await world.call('unbind_connector', { session: 'agent', label: 'more' })
  await expect.poll(() => toolNames(), patience).not.toContain('more_act_now')
})

test('a mount cannot take the name of another, or of one that always exists', async () => {
  await expect(
    world.call('bind_connector', { session: 'agent', connector: 'counting', label: 'terminal' }),
  ).rejects.toThrow(/terminal/)
  await world.call('save_connector', { name: 'other', ...silent })
  await expect(world.call('bind_connector', { session: 'agent', connector: 'other', label: 'up' })).rejects.toThrow(
    /counting/,
  )
})

describe('for clients that cannot handle many tools', () => {
  test('two tools are listed in place of all', async () => {
    expect(await toolNames('?toolsets=search')).toEqual(['hub_status', 'search_tools', 'call_tool'])
    expect(await toolNames()).not.toContain('search_tools')
  })

  test('these two find the others and call them', async () => {
    const found = await ask('tools/call', { name: 'search_tools', arguments: { query: 'act now' } })
    const { tools } = found['structuredContent'] as unknown as { tools: object[] }
    expect(tools[0]).toMatchObject({ name: 'up_act_now', input_schema: { type: 'object' } })
    world.deeds()
    await ask('tools/call', { name: 'call_tool', arguments: { name: 'up_act_now', arguments: {} } })
    expect(world.deeds()).toEqual(['tools/call Act-Now'])
  })

  test('a rule for a tool applies to calls through them too', async () => {
    await world.setPolicy('default: allow\nrules: [{ deny: "up_*" }]')
    const call = { name: 'call_tool', arguments: { name: 'up_act_now', arguments: {} } }
    const { body } = await modern(world.agent, 'tools/call', call)
    expect(body).toMatchObject({ error: { code: -32951 } })
    expect(world.deeds()).toEqual([])
    await world.setPolicy('default: allow')
  })
})

test('a tool that the policy denies for all arguments is not listed, and the agent is notified of changes', async () => {
  const connection = await connectLegacy(world.agent)
  using stream = await connection.listen()
  await stream.next() // opens the stream; carries no message
  await world.setPolicy('default: allow\nrules: [{ deny: up_Act-Now, when: { required: [force] } }]')
  expect(JSON.stringify(await stream.next())).toContain('tools/list_changed')
  expect(await toolNames()).toContain('up_act_now')
  for (const source of [
    'default: allow\nrules: [{ deny: up_Act-Now }]',
    'default: allow\nrules: [{ abort: up_act_now }]',
    'default: deny\nrules: [{ allow: "policy_*" }]',
  ]) {
    await world.setPolicy(source)
    const names = await toolNames()
    expect(names).not.toContain('up_act_now')
    expect(names).toContain('policy_check')
    const { body } = await modern(world.agent, 'tools/call', { name: 'search_tools', arguments: { query: 'act now' } })
    expect(JSON.stringify(body)).not.toContain('up_act_now')
  }
  await world.setPolicy('default: allow')
  expect(await toolNames()).toContain('up_act_now')
})

test('a rule can forbid a tool by the name that the agent sees, but not allow it', async () => {
  const attempt = async () => (await modern(world.agent, 'tools/call', { name: 'up_act_now', arguments: {} })).body
  await world.setPolicy('default: allow\nrules: [{ deny: up_act_now }]')
  expect(await attempt()).toMatchObject({ error: { code: -32951 } })
  await world.setPolicy('default: deny\nrules: [{ allow: up_act_now }]')
  expect(await attempt()).toMatchObject({ error: { code: -32951 } })
  await world.setPolicy('default: deny\nrules: [{ allow: up_Act-Now }]')
  expect(await attempt()).toMatchObject({ result: {} })
  await world.setPolicy('default: allow')
})

test('an approval for the session covers a tool under both of its names, and a policy check of either name says so', async () => {
  await world.setPolicy('default: allow\nrules: [{ ask: "up_*" }]')
  const attempt = async () => (await modern(world.agent, 'tools/call', { name: 'up_act_now', arguments: {} })).body
  const calling = attempt()
  await world.decide(await world.pending(), 'approve', { scope: 'session' })
  expect(await calling).toMatchObject({ result: {} })
  expect(await attempt()).toMatchObject({ result: {} })
  for (const tool of ['up_Act-Now', 'up_act_now']) {
    expect(await world.call('check_call', { session: 'agent', tool, arguments: {} })).toMatchObject({ effect: 'allow' })
  }
  await world.setPolicy('default: allow\nrules: [{ deny: up_act_now }]')
  for (const tool of ['up_Act-Now', 'up_act_now']) {
    expect(await world.call('check_call', { session: 'agent', tool, arguments: {} })).toMatchObject({ effect: 'deny' })
  }
  const { grants } = await world.call('list_grants', {})
  for (const { id } of grants as { id: string }[]) await world.call('revoke_grant', { id })
  await world.setPolicy('default: allow')
})

test('the whole path of one call is one trace, which the agent’s result names', async () => {
  await world.setPolicy('default: allow\nrules: [{ ask: "up_*", reason: look first }]')
  const calling = ask('tools/call', { name: 'up_act_now', arguments: { deep: { api_key: 'hunter2hunter2' } } })
  await world.decide(await world.pending(), 'approve', { reason: 'fine' })
  const meta = (await calling)['_meta'] as unknown as Record<string, string>
  const correlation = meta['io.signalbox/correlation']
  const trace = await world.call('get_trace', { correlation })
  expect(trace['spans']).toMatchObject([
    {
      type: 'tool-called',
      route: 'mcp:stdio',
      payload: { tool: 'up_Act-Now', upstream: 'counting', decision: { effect: 'ask', rule: 'hub#1' } },
      spans: [
        { type: 'approval-requested' },
        { type: 'approval-decided' },
        { type: 'approval-consumed' },
        { type: 'tool-answered', payload: { outcome: 'ok', approval: expect.any(String) } },
      ],
    },
  ])
  expect(JSON.stringify(trace)).not.toContain('hunter2')
  await world.setPolicy('default: allow')
})

test('after a restart the last known list is shown, although the upstream can no longer start', async () => {
  world.breakUpstream()
  await world.restart('SIGKILL')
  expect(await toolNames()).toContain('up_act_now')
  await expect.poll(() => stateOf('up'), patience).toMatchObject({ state: 'failed' })
  const result = await modern(world.agent, 'tools/call', { name: 'up_act_now', arguments: {} })
  expect(result.body).toMatchObject({ error: { code: -32001, message: expect.stringContaining('counting') } })
  expect(await toolNames()).toContain('up_act_now')
})
