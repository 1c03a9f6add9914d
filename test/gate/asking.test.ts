/** An upstream asks something in the middle of a call of a legacy client: only that client is asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { able, accepted, answersIn, askedBy, namesIn, question, script } from './questions.ts'
import { eventually, type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
let agent: Target
let up: ScriptedUpstream
beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('agent')
  up = await world.upstream('up')
  await world.bind('agent', 'up')
  await until(async () => namesIn(await modern(agent, 'tools/list')).includes('up_script'))
})
afterAll(() => world[Symbol.asyncDispose]())

/** Whether the upstream got the cancellation of the last call. */
function lastIsCancelled(): boolean {
  const last = up.received('tools/call').at(-1)?.id
  return up.received('notifications/cancelled').some(({ params }) => params?.['requestId'] === last)
}

async function outcomesOf(tool: string): Promise<readonly unknown[]> {
  const events = await world.events({ type: 'tool-answered' })
  return events.filter(({ payload }) => payload['tool'] === tool).map(({ payload }) => payload['outcome'])
}

describe('a legacy client', () => {
  test('is asked, and its answer reaches the upstream', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }]))
    const asked = (await stream.message()) as { id: string }
    expect(asked).toMatchObject(askedBy('up'))
    await client.post({ jsonrpc: '2.0', id: asked.id, result: accepted })
    expect(answersIn(await stream.message())).toEqual([accepted])
  })

  test('makes one call in the record, however often it is asked', async () => {
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
    expect(answersIn(await stream.message())).toHaveLength(12)
  })

  test('may refuse, and the upstream gets the refusal and continues', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }]))
    const { id } = (await stream.message()) as { id: string }
    await client.post({ jsonrpc: '2.0', id, error: { code: -1, message: 'no', data: { why: 'late' } } })
    expect(answersIn(await stream.message())).toEqual([
      { error: { code: -1, message: expect.stringContaining('no'), data: { why: 'late' } } },
    ])
  })

  test('the hub answers for a client that cannot be asked: its root is the workspace, and everything else is refused', async () => {
    const client = await connectLegacy(agent)
    const answer = await client.request('tools/call', script([{ ask: { method: 'roots/list' } }, { ask: question }]))
    const roots = [{ uri: expect.stringMatching(/^file:.*\/workspaces\/agent$/) }]
    expect(answersIn(answer)).toEqual([{ roots }, { error: expect.objectContaining({ code: -32601 }) }])
  })

  test('a client that accepts no stream cannot be asked, and the upstream gets an error at once', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: script([{ ask: question }]) }
    const { body } = await client.post(request, { accept: 'application/json' })
    expect(answersIn(body)).toEqual([{ error: expect.anything() }])
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
    await eventually(() =>
      up.received().filter(({ result }) => JSON.stringify(result) === JSON.stringify(said)),
    ).toHaveLength(1)
    await client.post({ jsonrpc: '2.0', id: first.id, result: accepted })
    expect(answersIn(await stream.message())).toEqual([accepted, said])
  })

  test('a client that cancels while it is asked ends the call at the upstream', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    const id = client.nextId()
    const body = { jsonrpc: '2.0', id, method: 'tools/call', params: script([{ ask: question }]) }
    const answer = client.post(body)
    await eventually(() => up.received('tools/call').at(-1)?.params?.['arguments']).toEqual({
      steps: [{ ask: question }],
    })
    await client.notify('notifications/cancelled', { requestId: id })
    expect((await answer).text).toContain('cancelled')
    await eventually(() => lastIsCancelled()).toBe(true)
  })

  test('a client that leaves while it is asked ends the call at the upstream', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream('tools/call', script([{ ask: question }]))
    await stream.message()
    await client.end()
    await eventually(() => lastIsCancelled()).toBe(true)
  })

  test('gets a cancellation when a question is withdrawn', async () => {
    const client = await connectLegacy(agent, { capabilities: able })
    using stream = await client.stream(
      'tools/call',
      script([{ withdraw: question, after: 'notifications/seen' }, { until: 'notifications/go' }]),
    )
    const { id } = (await stream.message()) as { id: string }
    await client.notify('notifications/seen')
    expect(await stream.message()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } })
    await client.notify('notifications/go')
    expect(answersIn(await stream.message())).toEqual([])
  })
})

describe('an upstream that sessions share', () => {
  test('cannot be answered by one session during a call of the other', async () => {
    const shared = await world.upstream('shared', { options: { shared: true } })
    const [one, two] = [await world.session('one'), await world.session('two')]
    for (const session of ['one', 'two']) await world.bind(session, 'shared')
    for (const target of [one, two]) {
      await eventually(async () => namesIn(await modern(target, 'tools/list'))).toContain('shared_script')
    }
    expect(shared.received('initialize')).toHaveLength(1)
    const secret = { ...question, params: { ...question.params, message: 'the secret of one' } }
    const asking = await connectLegacy(one, { capabilities: able })
    const steps = [{ until: 'notifications/go' }, { ask: secret }]
    const params = { name: 'shared_script', arguments: { steps } }
    const call = asking.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    await eventually(() => shared.received('tools/call')).toHaveLength(1)
    const other = await connectLegacy(two, { capabilities: able })
    const longer = { name: 'shared_script', arguments: { steps: [{ until: 'notifications/later' }] } }
    const stranger = other.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: longer })
    await eventually(() => shared.received('tools/call')).toHaveLength(2)
    await asking.notify('notifications/go')
    expect((await call).text).toContain('Several sessions share this upstream')
    await asking.notify('notifications/later')
    const { text } = await stranger
    expect(text).toContain('"content"')
    expect(text).not.toContain('the secret of one')
  })
})
