/**
 * An upstream asks something in the middle of a call, and one of the two sides speaks 2026-07-28, where the result is
 * the question.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Answer, Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { able, accepted, answersIn, askedBy, namesIn, question, script } from './questions.ts'
import { eventually, type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
let agent: Target
let up: ScriptedUpstream
let newer: ScriptedUpstream
beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('agent')
  up = await world.upstream('up')
  newer = await world.upstream('newer', { isModern: true })
  await world.bind('agent', 'up')
  await world.bind('agent', 'newer')
  await until(async () => namesIn(await modern(agent, 'tools/list')).includes('newer_script'))
})
afterAll(() => world[Symbol.asyncDispose]())

describe('a client of 2026-07-28', () => {
  const call = (params: object, capabilities: object = able, target = agent) =>
    modern(target, 'tools/call', params, { capabilities })
  const stateOf = ({ body }: Answer) => (body as { result: { requestState: string } }).result.requestState
  const keysOf = ({ body }: Answer) => Object.keys((body as { result: { inputRequests: object } }).result.inputRequests)

  test('comes back with the answer', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    expect(first.body).toMatchObject({ result: { resultType: 'input_required' } })
    const [key] = keysOf(first)
    const second = await call({ ...params, requestState: stateOf(first), inputResponses: { [key!]: accepted } })
    expect(answersIn(second.body)).toEqual([accepted])
  })

  test('a client that cannot be asked gets the error of its revision for any answer of the upstream', async () => {
    const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
    const { body } = await call(script([{ ask: { method: 'roots/list' } }, { ask: sampling }]), {})
    const data = { requiredCapabilities: { sampling: {} } }
    expect(body).toMatchObject({ error: { code: -32021, data } })
  })

  test('a client that answers another question is asked again', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    const second = await call({ ...params, requestState: stateOf(first), inputResponses: { other: accepted } })
    expect(second.body).toMatchObject({ result: { resultType: 'input_required' } })
    const [key] = keysOf(second)
    const third = await call({ ...params, requestState: stateOf(second), inputResponses: { [key!]: accepted } })
    expect(answersIn(third.body)).toEqual([accepted])
  })

  test('a client that comes back twice at once is answered twice, and the upstream gets one answer', async () => {
    const params = script([{ ask: question }, { ask: question }])
    const first = await call(params)
    const again = { ...params, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    const both = await Promise.all([call(again), call(again)])
    const kinds = both.map(({ body }) => ('error' in (body as object) ? 'refused' : 'asked'))
    expect(kinds.toSorted()).toEqual(['asked', 'refused'])
    const asked = both.find(({ body }) => 'result' in (body as object))!
    const last = await call({
      ...params,
      requestState: stateOf(asked),
      inputResponses: { [keysOf(asked)[0]!]: accepted },
    })
    expect(answersIn(last.body)).toEqual([accepted, accepted])
  })

  test('cannot use a state of an earlier round', async () => {
    const params = script([{ ask: question }, { ask: question }])
    const first = await call(params)
    const answer = (from: Answer) => ({ requestState: stateOf(from), inputResponses: { [keysOf(from)[0]!]: accepted } })
    const second = await call({ ...params, ...answer(first) })
    expect((await call({ ...params, ...answer(first) })).body).toMatchObject({ error: { code: -32001 } })
    expect(answersIn((await call({ ...params, ...answer(second) })).body)).toEqual([accepted, accepted])
  })

  test('a client with another token cannot continue the call', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    const again = { ...params, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    const stranger = await world.another('agent')
    expect((await call(again, able, stranger)).body).toMatchObject({ error: { code: -32602 } })
    expect(answersIn((await call(again)).body)).toEqual([accepted])
  })

  test('a client that comes back with other arguments makes another call, which is decided again', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    await world.call('set_policy', {
      scope: 'hub',
      source: 'default: allow\nrules: [{ deny: "up_script", when: { required: [forbidden] } }]',
    })
    const reached = up.received('tools/call').length
    const changed = script([{ ask: question }], { forbidden: true })
    const again = { ...changed, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    expect((await call(again)).body).toMatchObject({ error: { code: -32951 } })
    expect(up.received('tools/call')).toHaveLength(reached)
    await world.call('set_policy', { scope: 'hub', source: 'default: allow' })
  })

  test('a client that comes back after a restart of the hub is told to start again', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    await world.restart('SIGKILL')
    const other = await call(params)
    expect(other.body).toMatchObject({ result: { resultType: 'input_required' } })
    const again = { ...params, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    expect((await call(again)).body).toMatchObject({ error: { code: -32001 } })
    await call({ ...params, requestState: stateOf(other), inputResponses: { [keysOf(other)[0]!]: accepted } })
  })

  test('misses no message that was sent between its two requests', async () => {
    const line = { level: 'error', data: 'between the rounds' }
    const params = script([
      { askAll: [question] },
      { say: { method: 'notifications/message', params: { level: 'error', data: 'at the end' } } },
      { progress: 3 },
    ])
    const wanted = { meta: { progressToken: 'mine', 'io.modelcontextprotocol/logLevel': 'debug' }, capabilities: able }
    const talking = script([{ say: { method: 'notifications/message', params: line } }, ...params.arguments.steps])
    using before = await modernStream(agent, 'tools/call', talking, wanted)
    expect(await before.message()).toMatchObject({ params: line })
    const { result } = (await before.message()) as { result: { requestState: string; inputRequests: object } }
    const [key] = Object.keys(result.inputRequests)
    const again = { ...talking, requestState: result.requestState, inputResponses: { [key!]: accepted } }
    using after = await modernStream(agent, 'tools/call', again, wanted)
    expect(await after.message()).toMatchObject({ params: { data: 'at the end' } })
    expect(await after.message()).toMatchObject({ params: { progressToken: 'mine', progress: 3 } })
    expect(answersIn(await after.message())).toEqual([accepted])
  })

  test('the hub gives up the oldest waiting call when a client has too many, and the upstream gets a cancellation', async () => {
    const params = script([{ ask: question }, { result: { content: [] } }], { forgotten: true })
    const forgetful = await world.another('agent')
    for (let count = 0; count < 33; count++) await call(params, able, forgetful)
    const [oldest] = up
      .received('tools/call')
      .filter((message) => (message.params?.['arguments'] as { forgotten?: boolean } | undefined)?.forgotten)
    await eventually(() =>
      up.received('notifications/cancelled').map((message) => message.params?.['requestId']),
    ).toContain(oldest?.id)
  })
})

describe('an upstream of 2026-07-28 that asks with its result', () => {
  const inputRequests = { sure: question }
  const params = { name: 'newer_script', arguments: { question: { inputRequests } } }
  const returned = { inputResponses: { sure: accepted }, requestState: 'the state of the upstream' }

  test('can ask a legacy client', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', params)
    const { id } = (await stream.message()) as { id: string }
    await client.post({ jsonrpc: '2.0', id, result: accepted })
    expect(answersIn(await stream.message())).toEqual([])
    expect(newer.received('tools/call').at(-1)?.params).toMatchObject(returned)
  })

  test('can ask a client of its own era, which never sees its state', async () => {
    const first = await modern(agent, 'tools/call', params, { capabilities: able })
    const { result } = first.body as { result: { requestState: string; inputRequests: object } }
    expect(result.inputRequests).toEqual({ sure: askedBy('newer') })
    const again = { ...params, requestState: result.requestState, inputResponses: { sure: accepted } }
    const second = await modern(agent, 'tools/call', again, { capabilities: able })
    expect(answersIn(second.body)).toEqual([])
    expect(newer.received('tools/call').at(-1)?.params).toMatchObject(returned)
  })

  test('gets the answer through once per approval, however often it is sent', async () => {
    await world.call('set_policy', { scope: 'hub', source: 'default: allow\nrules: [{ ask: "newer_script" }]' })
    const call = async (more: object = {}) =>
      (await modern(agent, 'tools/call', { ...params, ...more }, { capabilities: able })).body
    const decide = async (decision: string) => {
      const approvals = async () => (await world.call('list_approvals', {}))['approvals'] as { id: string }[]
      await eventually(approvals).toHaveLength(1)
      await world.call('decide_approval', { id: (await approvals())[0]!.id, decision })
    }
    const [first] = await Promise.all([call(), decide('approve')])
    const { requestState } = (first as { result: { requestState: string } }).result
    const again = { requestState, inputResponses: { sure: accepted } }
    expect(answersIn(await call(again))).toEqual([])
    const reached = newer.received('tools/call').length
    const [replayed] = await Promise.all([call(again), decide('deny')])
    expect(replayed).toMatchObject({ error: { code: -32951 } })
    await world.call('set_policy', { scope: 'hub', source: 'default: allow\nrules: [{ abort: "newer_*" }]' })
    expect(await call(again)).toMatchObject({ error: { code: -32950 } })
    expect(newer.received('tools/call')).toHaveLength(reached)
    await world.call('set_policy', { scope: 'hub', source: 'default: allow' })
  })

  test.each([
    ['a list', []],
    ['nothing that could be asked', { sure: null }],
    ['a question without a method', { sure: { params: {} } }],
    ['text', 'sure?'],
  ])('asks no client with %s, and the call fails with a clear sentence', async (_, malformed) => {
    const wrong = { name: 'newer_script', arguments: { question: { inputRequests: malformed } } }
    for (const body of [
      (await modern(agent, 'tools/call', wrong, { capabilities: able })).body,
      await (await connectLegacy(agent, { capabilities: able })).request('tools/call', wrong),
    ]) {
      expect(body).toMatchObject({ error: { code: -32603, message: expect.stringContaining('upstream') } })
    }
  })
})

test('every other result of an upstream of 2026-07-28 is passed on unchanged', async () => {
  const result = { resultType: 'task', task: { taskId: 't1', status: 'working', 'x-own': [1] }, _meta: { 'a.b/c': 1 } }
  const params = { name: 'newer_script', arguments: { steps: [{ result }] } }
  expect((await modern(agent, 'tools/call', params)).body).toMatchObject({ result })
  expect(await (await connectLegacy(agent)).request('tools/call', params)).toMatchObject({ result })
})
