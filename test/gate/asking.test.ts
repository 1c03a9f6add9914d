/** An upstream asks something in the middle of a call: whoever made the call is asked, and nobody else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Answer, Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { faultsIn } from '../http/own-hub.ts'
import { eventually, type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from './scripted-world.ts'

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
afterAll(async () => {
  const faults = faultsIn(world.log())
  await world[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const able = { elicitation: {}, sampling: {}, roots: {} }
const question = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object' } } }
const accepted = { action: 'accept', content: { sure: true } }

function namesIn({ body }: Answer): readonly string[] {
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}

function script(steps: readonly object[], more: object = {}) {
  return { name: 'up_script', arguments: { steps, ...more } }
}

function heardIn(message: unknown): unknown {
  const { result } = message as { result: { content: { text: string }[] } }
  return (JSON.parse(result.content[0]!.text) as { heard: unknown }).heard
}

/** How the upstream was told that nobody waits for the last call any more. */
function lastIsCancelled(upstream = up): boolean {
  const last = upstream.heard('tools/call').at(-1)?.id
  return upstream.heard('notifications/cancelled').some(({ params }) => params?.['requestId'] === last)
}

async function outcomesOf(tool: string): Promise<readonly unknown[]> {
  const events = await world.events({ type: 'tool-answered' })
  return events.filter(({ payload }) => payload['tool'] === tool).map(({ payload }) => payload['outcome'])
}

describe('a legacy client', () => {
  test('is asked, and what it answers reaches the upstream', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }]))
    const asked = (await stream.message()) as { id: string }
    expect(asked).toMatchObject(question)
    await client.post({ jsonrpc: '2.0', id: asked.id, result: accepted })
    expect(heardIn(await stream.message())).toEqual([accepted])
  })

  test('is one call in the record, however often it was asked', async () => {
    const before = (await outcomesOf('up_script')).length
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }, { ask: question }]))
    for (const _ of [1, 2]) {
      const { id } = (await stream.message()) as { id: string }
      await client.post({ jsonrpc: '2.0', id, result: accepted })
    }
    await stream.message()
    expect((await outcomesOf('up_script')).slice(before)).toEqual(['ok'])
  })

  test('may be asked as often as the upstream likes', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script(Array.from({ length: 12 }, () => ({ ask: question }))))
    for (let round = 0; round < 12; round++) {
      const { id } = (await stream.message()) as { id: string }
      await client.post({ jsonrpc: '2.0', id, result: accepted })
    }
    expect(heardIn(await stream.message())).toHaveLength(12)
  })

  test('that refuses is heard by the upstream, which goes on', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }]))
    const { id } = (await stream.message()) as { id: string }
    await client.post({ jsonrpc: '2.0', id, error: { code: -1, message: 'no', data: { why: 'late' } } })
    expect(heardIn(await stream.message())).toEqual([
      { error: { code: -1, message: expect.stringContaining('no'), data: { why: 'late' } } },
    ])
  })

  test('that cannot be asked is spoken for: it has no roots, and anything else it cannot do', async () => {
    const client = await connectLegacy(agent)
    const answer = await client.request('tools/call', script([{ ask: { method: 'roots/list' } }, { ask: question }]))
    expect(heardIn(answer)).toEqual([{ roots: [] }, { error: expect.objectContaining({ code: -32601 }) }])
  })

  test('that takes no stream cannot be asked, and the upstream is told so at once', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: script([{ ask: question }]) }
    const { body } = await client.post(request, { accept: 'application/json' })
    expect(heardIn(body)).toEqual([{ error: expect.anything() }])
  })

  test('is asked two things at once, and may answer the second first', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
    using stream = await client.stream('tools/call', script([{ askAll: [question, sampling] }]))
    const first = (await stream.message()) as { id: string }
    const second = (await stream.message()) as { id: string; method: string }
    expect(second.method).toBe('sampling/createMessage')
    const said = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }
    await client.post({ jsonrpc: '2.0', id: second.id, result: said })
    await eventually(() => up.heard().filter(({ result }) => JSON.stringify(result) === JSON.stringify(said))).toHaveLength(1)
    await client.post({ jsonrpc: '2.0', id: first.id, result: accepted })
    expect(heardIn(await stream.message())).toEqual([accepted, said])
  })

  test('that cancels while it is asked ends the call at the upstream', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    const id = client.nextId()
    const body = { jsonrpc: '2.0', id, method: 'tools/call', params: script([{ ask: question }]) }
    const answer = client.post(body)
    await eventually(() => up.heard('tools/call').at(-1)?.params?.['arguments']).toEqual({ steps: [{ ask: question }] })
    await client.notify('notifications/cancelled', { requestId: id })
    expect((await answer).text).toContain('cancelled')
    await eventually(lastIsCancelled).toBe(true)
  })

  test('that leaves while it is asked ends the call at the upstream', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }]))
    await stream.message()
    await client.end()
    await eventually(lastIsCancelled).toBe(true)
  })

  test('hears that a question was withdrawn', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ withdraw: question }, { until: 'notifications/go' }]))
    const { id } = (await stream.message()) as { id: string }
    expect(await stream.message()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } })
    await client.notify('notifications/go')
    expect(heardIn(await stream.message())).toEqual([])
  })
})

describe('a client of 2026-07-28', () => {
  const call = (params: object, capabilities: object = able, target = agent) =>
    modern(target, 'tools/call', params, { capabilities })
  const stateOf = ({ body }: Answer) => (body as { result: { requestState: string } }).result.requestState
  const keysOf = ({ body }: Answer) =>
    Object.keys((body as { result: { inputRequests: object } }).result.inputRequests)

  test('comes back with the answer', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    expect(first.body).toMatchObject({ result: { resultType: 'input_required' } })
    const [key] = keysOf(first)
    const second = await call({ ...params, requestState: stateOf(first), inputResponses: { [key!]: accepted } })
    expect(heardIn(second.body)).toEqual([accepted])
  })

  test('with the answer to something else is asked again', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    const second = await call({ ...params, requestState: stateOf(first), inputResponses: { other: accepted } })
    expect(second.body).toMatchObject({ result: { resultType: 'input_required' } })
    const [key] = keysOf(second)
    const third = await call({ ...params, requestState: stateOf(second), inputResponses: { [key!]: accepted } })
    expect(heardIn(third.body)).toEqual([accepted])
  })

  test('that comes back twice at once is answered twice, and the upstream hears one answer', async () => {
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
    expect(heardIn(last.body)).toEqual([accepted, accepted])
  })

  test('cannot use a state of an earlier round', async () => {
    const params = script([{ ask: question }, { ask: question }])
    const first = await call(params)
    const answer = (from: Answer) => ({ requestState: stateOf(from), inputResponses: { [keysOf(from)[0]!]: accepted } })
    const second = await call({ ...params, ...answer(first) })
    expect((await call({ ...params, ...answer(first) })).body).toMatchObject({ error: { code: -32001 } })
    expect(heardIn((await call({ ...params, ...answer(second) })).body)).toEqual([accepted, accepted])
  })

  test('of another token cannot go on with it', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    const again = { ...params, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    const stranger = await world.another('agent')
    expect((await call(again, able, stranger)).body).toMatchObject({ error: { code: -32602 } })
    expect(heardIn((await call(again)).body)).toEqual([accepted])
  })

  test('with other arguments makes another call, which is judged anew', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    await world.call('set_policy', {
      scope: 'hub',
      source: 'default: allow\nrules: [{ deny: "up_script", when: { required: [forbidden] } }]',
    })
    const reached = up.heard('tools/call').length
    const changed = script([{ ask: question }], { forbidden: true })
    const again = { ...changed, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    expect((await call(again)).body).toMatchObject({ error: { code: -32951 } })
    expect(up.heard('tools/call')).toHaveLength(reached)
    await world.call('set_policy', { scope: 'hub', source: 'default: allow' })
  })

  test('that comes back after a restart of the hub is told to begin again', async () => {
    const params = script([{ ask: question }])
    const first = await call(params)
    await world.restart('SIGKILL')
    const other = await call(params)
    expect(other.body).toMatchObject({ result: { resultType: 'input_required' } })
    const again = { ...params, requestState: stateOf(first), inputResponses: { [keysOf(first)[0]!]: accepted } }
    expect((await call(again)).body).toMatchObject({ error: { code: -32001 } })
  })

  test('misses nothing that was said between its two requests', async () => {
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
    expect(heardIn(await after.message())).toEqual([accepted])
  })
})

describe('an upstream of 2026-07-28 asks with its result', () => {
  const inputRequests = { sure: question }
  const params = { name: 'newer_script', arguments: { question: { inputRequests } } }
  const returned = { inputResponses: { sure: accepted }, requestState: 'the state of the upstream' }

  test('a legacy client', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', params)
    const { id } = (await stream.message()) as { id: string }
    await client.post({ jsonrpc: '2.0', id, result: accepted })
    expect(heardIn(await stream.message())).toEqual([])
    expect(newer.heard('tools/call').at(-1)?.params).toMatchObject(returned)
  })

  test('a client of its own era, which never sees its state', async () => {
    const first = await modern(agent, 'tools/call', params, { capabilities: able })
    const { result } = first.body as { result: { requestState: string; inputRequests: object } }
    expect(result.inputRequests).toEqual(inputRequests)
    const again = { ...params, requestState: result.requestState, inputResponses: { sure: accepted } }
    const second = await modern(agent, 'tools/call', again, { capabilities: able })
    expect(heardIn(second.body)).toEqual([])
    expect(newer.heard('tools/call').at(-1)?.params).toMatchObject(returned)
  })

  test.each([
    ['a list', []],
    ['nothing that could be asked', { sure: null }],
    ['a question without a method', { sure: { params: {} } }],
    ['text', 'sure?'],
  ])('with %s it asks nobody, and the call fails with a clear sentence', async (_, malformed) => {
    const wrong = { name: 'newer_script', arguments: { question: { inputRequests: malformed } } }
    for (const body of [
      (await modern(agent, 'tools/call', wrong, { capabilities: able })).body,
      await (await connectLegacy(agent, { capabilities: able })).request('tools/call', wrong),
    ]) {
      expect(body).toMatchObject({ error: { code: -32603, message: expect.stringContaining('upstream') } })
    }
  })
})
