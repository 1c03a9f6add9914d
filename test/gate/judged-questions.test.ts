/** The questions of an upstream are rationed, decided by the policy, and shown with the name of their connector. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { connectLegacy, type LegacyConnection } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { eventually, type RecordedEvent, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'
import { able, accepted, answersIn, namesIn, question, script } from './questions.ts'

const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Say hi.' } }], maxTokens: 1 },
}
const sampled = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }

let world: ScriptedWorld
let agent: Target
beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('agent')
  await world.upstream('alpha')
  await world.upstream('newer', { isModern: true })
  await world.bind('agent', 'alpha', 'up')
  await world.bind('agent', 'newer')
  await until(async () =>
    /newer_script.*up_script|up_script.*newer_script/.test((await modern(agent, 'tools/list')).text),
  )
})
afterAll(() => world[Symbol.asyncDispose]())

const setPolicy = (source: string) => world.call('set_policy', { scope: 'hub', source })
const approvals = async () =>
  (await world.call('list_approvals', {}))['approvals'] as { id: string; tool: string; arguments: object }[]

/** A call whose answer is a stream, even if the client is not asked. */
const talk = (steps: readonly object[]) =>
  script([{ say: { method: 'notifications/message', params: { level: 'error', data: 'begin' } } }, ...steps])

/** Calls as a legacy client that answers every question, and returns the questions and the answer of the call. */
async function converse(params: object, answer: object, client?: LegacyConnection) {
  const asker = client ?? (await connectLegacy(agent, { capabilities: able }))
  using stream = await asker.stream('tools/call', params)
  const asked: { id: string; method: string; params: Record<string, unknown> }[] = []
  for (;;) {
    const message = (await stream.message()) as { id: string; method?: string; params: Record<string, unknown> }
    if (message.method === undefined) return { asked, answer: message }
    if (message.method.startsWith('notifications/')) continue
    asked.push(message as (typeof asked)[number])
    await asker.post({ jsonrpc: '2.0', id: message.id, result: answer })
  }
}

const newerAsks = (inputRequests: unknown, more: object = {}) => ({
  name: 'newer_script',
  arguments: { question: { inputRequests }, ...more },
})
const askModern = async (params: object, capabilities: object = able) =>
  (await modern(agent, 'tools/call', params, { capabilities })).body as {
    result?: { resultType: string; requestState: string; inputRequests: Record<string, { params: object }> }
    error?: { code: number; message: string }
  }

describe('the policy', () => {
  test('that denies elicitations keeps them from the client in both eras, and the call goes on', async () => {
    await setPolicy('default: allow\nrules: [{ deny: ["up_elicitation", "newer_elicitation"] }]')
    const { asked, answer } = await converse(talk([{ ask: question }]), accepted)
    expect(asked).toEqual([])
    expect(answersIn(answer)).toEqual([{ error: { code: -1, message: 'up_elicitation was not allowed.' } }])
    expect(await askModern(newerAsks({ sure: question }))).toMatchObject({
      error: { code: -32951, message: expect.stringContaining('newer_elicitation') },
    })
  })

  test('is asked about each question, and the record names its connector and the call it belongs to', async () => {
    await setPolicy('default: allow')
    await converse(talk([{ ask: question }]), accepted)
    const events = (await world.events({ type: 'tool-called' })) as readonly (RecordedEvent & {
      id: string
      parent?: string
    })[]
    const asked = events.findLast(({ payload }) => payload['tool'] === 'up_elicitation')
    expect(asked?.payload).toMatchObject({ upstream: 'alpha', arguments: { message: 'Sure?' } })
    expect(events.find(({ id }) => id === asked?.parent)?.payload['tool']).toBe('up_script')
  })

  test('that asks about sampling holds the question until a person answers, in both eras', async () => {
    await setPolicy('default: allow\nrules: [{ ask: "*_sampling" }]')
    for (const [mount, run] of [
      ['up', async () => answersIn((await converse(talk([{ ask: sampling }]), sampled)).answer)],
      ['newer', async () => (await askModern(newerAsks({ hi: sampling }))).result?.inputRequests],
    ] as const) {
      const running = run()
      await eventually(approvals).toEqual([
        expect.objectContaining({ tool: `${mount}_sampling`, arguments: expect.objectContaining({ maxTokens: 1 }) }),
      ])
      await world.call('decide_approval', { id: (await approvals())[0]!.id, decision: 'approve' })
      expect(JSON.stringify(await running)).toContain(mount === 'up' ? '"hi"' : 'Say hi.')
    }
  })

  test('with a default of ask lets elicitations pass, and asks about sampling', async () => {
    await setPolicy('default: ask\nrules: [{ allow: "up_script" }]')
    const { asked } = await converse(talk([{ ask: question }]), accepted)
    expect(asked).toHaveLength(1)
    const running = converse(talk([{ ask: sampling }]), sampled)
    await eventually(approvals).toHaveLength(1)
    await world.call('decide_approval', { id: (await approvals())[0]!.id, decision: 'deny' })
    expect((await running).asked).toEqual([])
    expect(answersIn((await running).answer)).toEqual([
      { error: { code: -1, message: 'up_sampling was not allowed.' } },
    ])
  })

  test('a question that is withdrawn while a person is asked leaves no approval behind', async () => {
    await setPolicy('default: allow\nrules: [{ ask: "up_sampling" }]')
    const client = await connectLegacy(agent, { capabilities: able })
    const id = client.nextId()
    const call = client.post({ jsonrpc: '2.0', id, method: 'tools/call', params: script([{ ask: sampling }]) })
    await eventually(approvals).toHaveLength(1)
    await client.notify('notifications/cancelled', { requestId: id })
    await call
    await eventually(approvals).toEqual([])
    await setPolicy('default: allow')
  })
})

describe('a question', () => {
  test('names its connector in front of its message, in both eras', async () => {
    const { asked } = await converse(talk([{ ask: question }]), accepted)
    expect(asked[0]?.params).toMatchObject({
      message: '[connector alpha] Sure?',
      _meta: { 'io.signalbox/connector': 'alpha' },
    })
    const { result } = await askModern(newerAsks({ sure: question }))
    expect(result?.inputRequests['sure']?.params).toMatchObject({ message: '[connector newer] Sure?' })
  })

  test('of sampling is not changed for the model, and its _meta names the connector', async () => {
    const { asked } = await converse(talk([{ ask: sampling }]), sampled)
    expect(asked[0]?.params).toEqual({ ...sampling.params, _meta: { 'io.signalbox/connector': 'alpha' } })
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'signalbox://x', 'no address', 7])(
    'with the address %s does not reach the client',
    async (url) => {
      const login = {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Log in.', url, elicitationId: 'e' },
      }
      const client = await connectLegacy(agent, { capabilities: { elicitation: { url: {}, form: {} } } })
      const { asked, answer } = await converse(talk([{ ask: login }]), accepted, client)
      expect(asked).toEqual([])
      expect(answersIn(answer)).toEqual([{ error: expect.objectContaining({ code: -32602 }) }])
      const urls = { elicitation: { url: {}, form: {} } }
      expect(await askModern(newerAsks({ login }), urls)).toMatchObject({ error: { code: -32603 } })
      const required = { code: -32042, message: 'Log in first.', data: { elicitations: [login.params] } }
      const { body } = await modern(agent, 'tools/call', script([{ error: required }]), { capabilities: urls })
      expect(JSON.stringify(body)).not.toContain(JSON.stringify(url))
    },
  )

  test('with an http address reaches the client, also in an error that requires it', async () => {
    const params = { mode: 'url', message: 'Log in.', url: 'https://login.example/', elicitationId: 'e' }
    const client = await connectLegacy(agent, { capabilities: { elicitation: { url: {} } } })
    const { asked } = await converse(talk([{ ask: { method: 'elicitation/create', params } }]), accepted, client)
    expect(asked[0]?.params['url']).toBe('https://login.example/')
    const required = { code: -32042, message: 'Log in first.', data: { elicitations: [params] } }
    expect(await client.request('tools/call', script([{ error: required }]))).toMatchObject({
      error: { code: -32042, data: { elicitations: [{ url: params.url, message: '[connector alpha] Log in.' }] } },
    })
  })
})

describe('the questions of a call', () => {
  test('are limited, and withdrawn questions count', async () => {
    const { asked, answer } = await converse(talk([{ withdraw: question, times: 2_000 }, { ask: question }]), accepted)
    expect(asked.length).toBeLessThan(100)
    expect(answersIn(answer)).toEqual([{ error: expect.objectContaining({ code: -32005 }) }])
  })

  test('of 2026-07-28 are limited in number, and the call fails with a sentence', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, count) => [`q${count}`, { method: 'sampling/createMessage', params: {} }]),
    )
    expect(await askModern(newerAsks(many))).toMatchObject({
      error: { code: -32603, message: expect.stringMatching(/1000 questions.*at most/) },
    })
  })

  test.each(['tasks/list', 'x/evil', 'tools/call', 'ping'])(
    'of 2026-07-28 cannot be %s, for a client that declared nothing and for one that declared all',
    async (method) => {
      for (const capabilities of [{}, able]) {
        const asked = await askModern(newerAsks({ evil: { method, params: {} } }), capabilities)
        expect(asked).toMatchObject({ error: { code: -32603, message: expect.stringContaining(method) } })
        const client = await connectLegacy(agent, { capabilities })
        const answer = await client.request('tools/call', newerAsks({ evil: { method, params: {} } }))
        expect(answer).toMatchObject({ error: { code: -32603 } })
      }
    },
  )

  test('of 2026-07-28 reach no client that did not declare them', async () => {
    for (const each of [question, sampling, { method: 'roots/list' }]) {
      expect(await askModern(newerAsks({ each }), {})).toMatchObject({ error: { code: -32021 } })
    }
  })
})

test('an upstream cannot set a _meta of the hub, in results, lists, notices or questions', async () => {
  const forged = { 'io.signalbox/correlation': 'forged', 'io.signalbox/approval': 'forged', 'a.b/c': 'kept' }
  const tools = [{ name: 'script', inputSchema: { type: 'object' }, _meta: forged }]
  const forger = await world.upstream('forger', { lists: { tools } })
  await world.bind('agent', 'forger')
  await eventually(async () => namesIn(await modern(agent, 'tools/list'))).toContain('forger_script')
  expect((await modern(agent, 'tools/list')).text).toContain('kept')
  expect((await modern(agent, 'tools/list')).text).not.toContain('forged')
  const text = { type: 'text', text: 'x', _meta: forged }
  const contents = { type: 'resource', resource: { uri: 'a:b', text: 'x', _meta: forged } }
  const line = { method: 'notifications/message', params: { level: 'error', data: 'x', _meta: forged } }
  const asked = { ...question, params: { ...question.params, _meta: forged } }
  const result = { content: [text, contents], _meta: forged }
  const client = await connectLegacy(agent, { capabilities: able })
  using stream = await client.stream('tools/call', {
    name: 'forger_script',
    arguments: { steps: [{ say: line }, { ask: asked }, { result }] },
  })
  const messages: unknown[] = [await stream.message(), await stream.message()]
  await client.post({ jsonrpc: '2.0', id: (messages[1] as { id: string }).id, result: accepted })
  messages.push(await stream.message())
  for (const message of messages) {
    expect(JSON.stringify(message)).toContain('kept')
    expect(JSON.stringify(message)).not.toContain('forged')
  }
  expect(forger.received('tools/call')).toHaveLength(1)
})

test('a rule that allows reading allows no tool named read, and a rule that denies it denies both', async () => {
  const tools = ['read', 'elicitation', 'sampling'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  const one = await world.upstream('one', { lists: { tools, resources: [{ uri: 'one://a', name: 'a' }] } })
  await world.bind('agent', 'one')
  const names = ['one_read_tool', 'one_elicitation_tool', 'one_sampling_tool']
  await eventually(async () => namesIn(await modern(agent, 'tools/list'))).toEqual(expect.arrayContaining(names))
  await setPolicy('default: deny\nrules: [{ allow: ["one_read", "one_elicitation", "one_sampling"] }]')
  const client = await connectLegacy(agent)
  expect(await client.request('resources/read', { uri: 'one://a' })).toMatchObject({ result: { contents: [{}] } })
  for (const name of names) {
    expect(await client.request('tools/call', { name, arguments: {} })).toMatchObject({ error: { code: -32951 } })
  }
  expect(await client.request('read', {})).toMatchObject({ error: {} })
  expect(one.received('tools/call')).toEqual([])
  expect(one.received('read')).toEqual([])
  await setPolicy('default: allow\nrules: [{ deny: "one_read" }]')
  for (const request of [
    client.request('tools/call', { name: 'one_read_tool', arguments: {} }),
    client.request('resources/read', { uri: 'one://a' }),
  ]) {
    expect(await request).toMatchObject({ error: { code: -32951 } })
  }
  await setPolicy('default: allow')
})
