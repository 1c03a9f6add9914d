/** Mounts that come, change, fail and go while their session runs, and the messages that agents may send to them. */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { eventually, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
beforeAll(async () => {
  world = await startScriptedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function toolNames(agent: Target): Promise<readonly string[]> {
  const { body } = await modern(agent, 'tools/list')
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}

async function callTool(agent: Target, name: string, args: object = {}): Promise<unknown> {
  return (await modern(agent, 'tools/call', { name, arguments: args })).body
}

const whole = { result: { content: [{ type: 'text' }] } }
const schema = { inputSchema: { type: 'object' } }

/** Counts processes of the hub's upstreams that run this connector. */
function processesOf(connector: string): number {
  const commands = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })
  return commands.filter((command) => command.includes(`${world.home}/${connector}.journal`)).length
}

describe('tool names', () => {
  test('tools of an upstream without prefix cannot replace the hub’s own tools', async () => {
    const agent = await world.session('bare')
    const names = ['hub_status', 'policy_read', 'call_tool', 'mine', 'a.mine', 'with.hub_status']
    await world.upstream('bare', {
      options: { prefix: false },
      lists: { tools: names.map((name) => ({ name, ...schema })) },
    })
    await world.bind('bare', 'bare')
    await eventually(() => toolNames(agent)).toContain('mine')
    const listed = await toolNames(agent)
    expect(listed).toEqual([...new Set(listed)])
    expect(listed).toEqual(expect.arrayContaining(['bare_hub_status', 'bare_policy_read', 'bare_call_tool', 'a.mine']))
    expect(JSON.stringify(await callTool(agent, 'hub_status'))).toContain('uptime')
    expect(await callTool(agent, 'policy_read')).toMatchObject({ result: { structuredContent: expect.anything() } })
    expect(JSON.stringify(await callTool(agent, 'with.hub_status'))).toContain('heard')
    expect(JSON.stringify(await callTool(agent, 'bare_policy_read'))).toContain('heard')
  })

  test('never collide with the hub’s own because of a label', async () => {
    const agent = await world.session('labels')
    await world.upstream('labels', { lists: { tools: [{ name: 'tool', ...schema }] } })
    await world.bind('labels', 'labels', 'call')
    await eventually(() => toolNames(agent)).toContainEqual(expect.stringMatching(/^call_tool_[0-9a-f]{6}$/))
  })

  test('are unique and callable for any list of an upstream', async () => {
    const agent = await world.session('odd')
    const names = ['twice', 'twice', '', '__proto__', 'constructor', 'x'.repeat(200), 'Ünïcode 工具', 'a/b', 'a-b']
    await world.upstream('odd', { lists: { tools: names.map((name) => ({ name, ...schema })) } })
    await world.bind('odd', 'odd')
    await eventually(() => toolNames(agent)).toContain('odd_twice')
    const listed = (await toolNames(agent)).filter((name) => name.startsWith('odd_'))
    expect(listed).toHaveLength(7)
    for (const name of listed) expect(await callTool(agent, name)).toMatchObject(whole)
  })

  test('work for a thousand tools', async () => {
    const agent = await world.session('many')
    const tools = Array.from({ length: 1_000 }, (_, index) => ({ name: `tool ${index}`, ...schema }))
    await world.upstream('many', { lists: { tools } })
    await world.bind('many', 'many')
    await eventually(async () => (await modern(agent, 'tools/list', { cursor: '1000' })).text).toContain(
      'many_tool_999',
    )
    expect(await callTool(agent, 'many_tool_999')).toMatchObject(whole)
  })
})

describe('a session that gets one more binding', () => {
  test('finishes its running call, and its tool names get a prefix and lose it again', async () => {
    const agent = await world.session('growing')
    const first = await world.upstream('first', { options: { prefix: false } })
    await world.upstream('second')
    await world.bind('growing', 'first')
    await eventually(() => toolNames(agent)).toContain('script')
    const client = await connectLegacy(agent)
    const running = client.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'script', arguments: { steps: [{ until: 'notifications/go' }] } },
    })
    await eventually(() => first.received('tools/call')).toHaveLength(1)
    await world.bind('growing', 'second')
    await eventually(() => toolNames(agent)).toEqual(expect.arrayContaining(['first_script', 'second_script']))
    await client.notify('notifications/go')
    expect((await running).text).toContain('"content"')
    expect(first.received('initialize')).toHaveLength(1)
    await world.call('unbind_connector', { session: 'growing', label: 'second' })
    await eventually(() => toolNames(agent)).toContain('script')
    await eventually(() => processesOf('second')).toBe(0)
  })

  test('leaves no process of a mount that is detached during its start', async () => {
    const agent = await world.session('hasty')
    await world.upstream('hasty', { options: { shared: true } })
    await toolNames(agent)
    for (let round = 0; round < 5; round++) {
      await world.bind('hasty', 'hasty')
      await world.call('unbind_connector', { session: 'hasty', label: 'hasty' })
    }
    await world.bind('hasty', 'hasty')
    await world.call('delete_connector', { name: 'hasty' })
    await eventually(() => processesOf('hasty')).toBe(0)
  })

  test('starts nothing after it has ended, even if its connectors change', async () => {
    const agent = await world.session('ended')
    await world.upstream('ended')
    await world.bind('ended', 'ended')
    await eventually(() => toolNames(agent)).toContain('ended_script')
    await world.call('kill_session', { name: 'ended' })
    await eventually(() => processesOf('ended')).toBe(0)
    await world.upstream('ended', { options: { call_ms: 40_000 } })
    const other = await world.session('going-on')
    await world.bind('going-on', 'ended')
    await eventually(() => toolNames(other)).toContain('ended_script')
    expect(processesOf('ended')).toBe(1)
  })
})

describe('an upstream', () => {
  test('an upstream that cannot list one thing still offers the rest, and reports what is missing', async () => {
    const agent = await world.session('partial')
    await world.upstream('partial', { lists: { promptsFail: [{}] } })
    await world.bind('partial', 'partial')
    await eventually(() => toolNames(agent)).toContain('partial_script')
    const { body } = await modern(agent, 'tools/list')
    expect(JSON.stringify(body)).toContain('no prompts today')
    expect(await callTool(agent, 'partial_script')).toMatchObject(whole)
  })

  test('an upstream that changes its tools all the time is asked for one list at a time', async () => {
    const agent = await world.session('restless')
    const upstream = await world.upstream('restless')
    await world.bind('restless', 'restless')
    await eventually(() => toolNames(agent)).toContain('restless_script')
    const before = upstream.received('tools/list').length
    const change = { say: { method: 'notifications/tools/list_changed' } }
    upstream.setLists({
      tools: [
        { name: 'script', ...schema },
        { name: 'newest', ...schema },
      ],
    })
    await callTool(agent, 'restless_script', { steps: Array.from({ length: 200 }, () => change) })
    await eventually(() => toolNames(agent)).toContain('restless_newest')
    expect(upstream.received('tools/list').length - before).toBeLessThan(20)
  })

  test.each([
    ['nothing', null],
    ['a text', 'done'],
    ['a list', []],
  ])('an upstream that answers with %s outside strict mode is reported in one sentence', async (_, result) => {
    const agent = await world.another('loose').catch(() => world.session('loose'))
    await world.upstream('loose', { strict: false })
    await world.bind('loose', 'loose').catch(() => {})
    await until(async () => (await toolNames(agent)).includes('loose_script'))
    const answer = await callTool(agent, 'loose_script', { steps: [{ result }] })
    expect(answer).toMatchObject({ error: { code: -32603, message: expect.stringContaining('upstream') } })
  })

  test('may answer anything and list any template, and all of it is passed on', async () => {
    const agent = await world.session('faithful')
    const annotations = { readOnlyHint: true, 'x-own': { deep: [1] } }
    const tool = { name: 'script', ...schema, annotations, icons: [{ src: 'a', 'x-own': 1 }], 'x-own': true }
    const wild = `wild://${'{a}'.repeat(30)}x`
    await world.upstream('faithful', {
      lists: {
        tools: [tool],
        resourceTemplates: [
          { uriTemplate: '{unclosed', name: 'broken' },
          { uriTemplate: wild, name: 'wild' },
        ],
      },
    })
    await world.bind('faithful', 'faithful')
    await eventually(() => toolNames(agent)).toContain('faithful_script')
    const { body } = await modern(agent, 'tools/list')
    const { tools } = (body as { result: { tools: { name: string }[] } }).result
    expect(tools.find(({ name }) => name === 'faithful_script')).toMatchObject({ ...tool, name: 'faithful_script' })
    const result = {
      content: [{ type: 'hologram', data: [1, { two: 2 }], annotations: { 'x-own': null } }],
      structuredContent: 'just text',
      _meta: { 'example.com/own': { kept: true } },
      'x-own': [null],
    }
    expect(await callTool(agent, 'faithful_script', { steps: [{ result }] })).toMatchObject({ result })
    const error = { code: -32050, message: 'no', data: [{ why: null }] }
    expect(await callTool(agent, 'faithful_script', { steps: [{ error }] })).toMatchObject({ error })
    const long = `wild://${'b'.repeat(200)}`
    expect((await modern(agent, 'resources/read', { uri: long })).body).toMatchObject({
      result: { contents: [{ uri: long }] },
    })
  })
})

describe('a message of a client', () => {
  afterEach(() => world.call('set_policy', { scope: 'hub', source: 'default: allow' }))

  test('a message without an id is not a call, and a request without an id is dropped', async () => {
    const agent = await world.session('sly')
    const upstream = await world.upstream('sly')
    await world.bind('sly', 'sly')
    await eventually(() => toolNames(agent)).toContain('sly_script')
    await world.call('set_policy', { scope: 'hub', source: 'default: deny' })
    const client = await connectLegacy(agent)
    await client.post({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'script', arguments: {} } })
    await client.post({ jsonrpc: '2.0', method: 'custom/deed', params: {} })
    await client.notify('notifications/roots/list_changed')
    await eventually(() => upstream.received('notifications/roots/list_changed')).toHaveLength(1)
    expect(upstream.received('tools/call')).toEqual([])
    expect(upstream.received('custom/deed')).toEqual([])
  })

  test('a message with a custom method reaches an upstream only if the policy allows it, and is recorded', async () => {
    const agent = await world.session('talker')
    const upstream = await world.upstream('talker')
    await world.bind('talker', 'talker')
    await eventually(() => toolNames(agent)).toContain('talker_script')
    await world.call('set_policy', {
      scope: 'hub',
      source: 'default: ask\nrules: [{ allow: "talker_notifications/kind" }]',
    })
    const client = await connectLegacy(agent)
    await client.notify('notifications/rude', { word: 'rude' })
    await client.notify('notifications/kind', { word: 'kind' })
    await eventually(() => upstream.received('notifications/kind')).toMatchObject([{ params: { word: 'kind' } }])
    expect(upstream.received('notifications/rude')).toEqual([])
    const recorded = await world.events({ type: 'tool-called' })
    expect(recorded.map(({ payload }) => payload['tool'])).toEqual(
      expect.arrayContaining(['talker_notifications/rude', 'talker_notifications/kind']),
    )
  })
})
