import fc from 'fast-check'
import { expect, test } from 'vitest'
import { caller, http, modern, scriptedUpstream } from '../../test/worlds/scripted-upstream.ts'
import { until } from '../../test/fixtures/until.ts'
import { parseExactly } from '../base/exact-numbers.ts'
import type { Params, RpcRequest } from '../mcp/mcp.ts'
import { RpcError } from '../mcp/mcp.ts'
import { idempotencyKey } from './envelope.ts'
import type { UpstreamRequest } from './upstream-types.ts'

test('params are sent unchanged, but with our own progress token and the key', async () => {
  const { call, line } = scriptedUpstream()
  const arguments_ = { path: '/a', unknown: { deep: [1] } }
  const meta = { traceparent: '00-1', progressToken: 'the caller’s own', 'vendor/x': { y: 1 } }
  void call({ name: 'read', arguments: arguments_, more: true, _meta: meta }, { onProgress: () => {} })
  const { id, params } = await (await line()).got('tools/call')
  expect(params).toEqual({
    name: 'read',
    arguments: arguments_,
    more: true,
    _meta: { traceparent: '00-1', 'vendor/x': { y: 1 }, progressToken: id, [idempotencyKey]: expect.any(String) },
  })
})

test('a request without a progress listener asks for no progress, and the envelope of the other era is removed', async () => {
  const { upstream, line } = scriptedUpstream()
  const _meta = { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const answer = upstream.request('tools/list', { _meta, cursor: 'x' }, caller())
  const up = await line()
  const request = await up.got('tools/list')
  expect(request.params).toEqual({ cursor: 'x' })
  up.answer(request, { tools: [] })
  expect(await answer).toEqual({ tools: [] })
})

test('a result is returned unchanged, whatever it contains', async () => {
  const result = { content: [{ type: 'hologram', beams: 3 }], structuredContent: [1], _meta: { a: 1 }, novel: null }
  const { call, line } = scriptedUpstream()
  const answer = call()
  ;(await line()).answer(await (await line()).got('tools/call'), result)
  expect(await answer).toBe(result)
})

test('progress is reported in JavaScript numbers, however large the originals were', async () => {
  const { call, line } = scriptedUpstream()
  const steps: Params[] = []
  void call({}, { onProgress: (step) => void steps.push(step) })
  const up = await line()
  const { id } = await up.got('tools/call')
  const params = `{"progressToken":${id},"progress":1234567890123456789,"total":2}`
  up.say(parseExactly(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`))
  expect(steps).toEqual([{ progress: Number('1234567890123456789'), total: 2 }])
})

test('an error is returned with its code, message and data', async () => {
  const { call, line } = scriptedUpstream()
  const answer = call()
  ;(await line()).refuse(await (await line()).got('tools/call'), -31999, 'No such book', { isbn: '1' })
  await expect(answer).rejects.toMatchObject({ code: -31999, message: 'No such book', data: { isbn: '1' } })
})

test('progress that arrives in one packet with the result is reported before it', async () => {
  const heard: unknown[] = []
  const { call, line } = scriptedUpstream()
  const answer = call(undefined, { onProgress: (params) => void heard.push(params) })
  const up = await line()
  const request = await up.got('tools/call')
  for (const progress of [1, 2, 3]) {
    up.notify('notifications/progress', { progressToken: request.id, progress, message: `page ${progress}`, extra: 1 })
  }
  up.answer(request, { content: [] })
  const atResult = answer.then(() => [...heard])
  expect(await atResult).toEqual([1, 2, 3].map((progress) => ({ progress, message: `page ${progress}`, extra: 1 })))
})

test('a caller that leaves is released at once, and the upstream gets the reason', async () => {
  const { call, line } = scriptedUpstream()
  const leaving = new AbortController()
  const answer = call(undefined, { signal: leaving.signal })
  const up = await line()
  const { id } = await up.got('tools/call')
  leaving.abort(new RpcError(-32001, 'The token was revoked.'))
  await expect(answer).rejects.toMatchObject({ code: -32800, message: 'The token was revoked.' })
  const params = { requestId: id, reason: 'The token was revoked.' }
  expect(up.sent.at(-1)).toEqual({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
})

test('over HTTP at 2026-07-28 closing the answer is the cancellation', async () => {
  const { call, line } = scriptedUpstream({ target: { reach: http }, on: modern })
  const leaving = new AbortController()
  const answer = call(undefined, { signal: leaving.signal })
  const up = await line()
  const { id } = await up.got('tools/call')
  leaving.abort()
  await expect(answer).rejects.toMatchObject({ code: -32800 })
  expect(up.abandoned).toEqual([id])
  expect(up.sent.map((message) => 'method' in message && message.method)).not.toContain('notifications/cancelled')
})

test('people see that an upstream asked with an id that is too long', async () => {
  const { call, line, breaches, asked } = scriptedUpstream()
  void call()
  const up = await line()
  await up.got('tools/call')
  up.say({ jsonrpc: '2.0', id: 'x'.repeat(10_000), method: 'roots/list' })
  expect(breaches).toEqual(['It sent a request with an id that is too long to be sent back.'])
  expect(up.sent.at(-1)).toMatchObject({ id: null, error: { code: -32600 } })
  expect(asked).toEqual([])
})

test('a caller that has already left sends nothing', async () => {
  const { upstream, call, line } = scriptedUpstream()
  await upstream.ready()
  await expect(call(undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: -32800 })
  expect((await line()).sent.map((message) => 'method' in message && message.method)).not.toContain('tools/call')
})

test('a call that takes longer than allowed is cancelled, and the error names the setting', async () => {
  const { call, line } = scriptedUpstream({ target: { callMs: 100 } })
  await expect(call()).rejects.toMatchObject({ code: -32001, message: expect.stringContaining('call_ms') })
  const cancellation = await until(async () => (await line()).sent.at(-1))
  expect(cancellation).toMatchObject({ method: 'notifications/cancelled' })
})

test('late, second and unknown answers are dropped, and the last two are reported once', async () => {
  const { upstream, call, line, breaches } = scriptedUpstream()
  const leaving = new AbortController()
  const left = call(undefined, { signal: leaving.signal })
  const up = await line()
  const first = await up.got('tools/call')
  leaving.abort()
  await expect(left).rejects.toThrow()
  up.answer(first, { content: [] })
  expect([upstream.dropped, breaches]).toEqual([1, []])

  const answer = call()
  const second = await up.got('tools/call', 2)
  up.answer(second, { content: [] })
  up.answer(second, { content: [{ type: 'text', text: 'again' }] })
  up.answer(second, { content: [{ type: 'text', text: 'and again' }] })
  up.say({ jsonrpc: '2.0', id: 4711, result: {} })
  up.say({ jsonrpc: '2.0', id: 'no number', result: {} })
  expect(await answer).toEqual({ content: [] })
  expect(upstream.dropped).toBe(5)
  expect(breaches).toEqual(['It answered one request twice.', 'It answered with an id that matches no request.'])
})

test('garbage between messages does no harm', async () => {
  const { call, line, breaches } = scriptedUpstream()
  const answer = call()
  const up = await line()
  const request = await up.got('tools/call')
  up.breaks.garbage('not JSON: hello')
  for (const odd of [null, 7, 'text', [], {}]) up.say(odd)
  up.answer(request, { content: [] })
  expect(await answer).toEqual({ content: [] })
  expect(breaches).toContain('It sent something that is not a JSON-RPC message.')
})

test('a refusal that names no request belongs to the one it came with, or to the only open one', async () => {
  const { call, line } = scriptedUpstream({ target: { reach: http, era: 'legacy' } })
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }
  const [one, other] = [call(), call()]
  const up = await line()
  const second = await up.got('tools/call', 2)
  up.say(refusal, second)
  await expect(other).rejects.toMatchObject({ code: -32700 })
  up.say(refusal)
  await expect(one).rejects.toMatchObject({ code: -32700 })
})

test('a question goes to the request it came with, and the answer is returned unchanged', async () => {
  const { call, line } = scriptedUpstream({ target: { reach: http, era: 'legacy' } })
  const questions: unknown[] = []
  const answering = (who: string) => ({
    onAsk: async (request: unknown) => {
      questions.push([who, request])
      return { action: 'accept', content: { who }, extra: 1 }
    },
  })
  void call({ name: 'one' }, answering('one'))
  void call({ name: 'other' }, answering('other'))
  const up = await line()
  const first = await up.got('tools/call')
  await up.got('tools/call', 2)
  const params = { message: 'Sure?', novel: true }
  up.say({ jsonrpc: '2.0', id: 'q1', method: 'elicitation/create', params }, first)
  up.say({ jsonrpc: '2.0', id: 'q2', method: 'sampling/createMessage', params })
  expect(await until(() => up.sent.find((message) => 'id' in message && message.id === 'q2'))).toMatchObject({
    result: { content: { who: 'other' } },
  })
  expect(up.sent.find((message) => 'id' in message && message.id === 'q1')).toEqual({
    jsonrpc: '2.0',
    id: 'q1',
    result: { action: 'accept', content: { who: 'one' }, extra: 1 },
  })
  expect(questions).toEqual([
    ['one', { method: 'elicitation/create', params }],
    ['other', { method: 'sampling/createMessage', params }],
  ])
})

test.each([['a text'], [[1]], [7]])(
  'params that are %j reach nobody, and a question with them is refused',
  async (params) => {
    const { call, line, notices, breaches } = scriptedUpstream()
    const asked: unknown[] = []
    void call(undefined, { onAsk: async (request) => ({ count: asked.push(request) }) })
    const up = await line()
    await up.got('tools/call')
    up.say({ jsonrpc: '2.0', method: 'notifications/x', params })
    up.say({ jsonrpc: '2.0', id: 8, method: 'sampling/createMessage', params })
    const answer = await until(() => up.sent.find((message) => 'id' in message && message.id === 8))
    expect(answer).toMatchObject({ error: { code: -32602 } })
    expect([asked, notices]).toEqual([[], []])
    expect(breaches).toEqual(['It sent something that is not a JSON-RPC message.'])
  },
)

test('a question that belongs to no request goes to the hub, and a ping is answered here', async () => {
  const { upstream, line, asked } = scriptedUpstream()
  await upstream.ready()
  const up = await line()
  up.say({ jsonrpc: '2.0', id: 1, method: 'roots/list' })
  up.say({ jsonrpc: '2.0', id: 2, method: 'ping' })
  await until(() => up.sent.length === 4)
  expect(up.sent.slice(2)).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 1, result: { from: 'the hub' } },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]),
  )
  expect(asked).toEqual([{ method: 'roots/list' }])
})

test('a refused question is answered with code, message and data', async () => {
  const { call, line } = scriptedUpstream()
  const onAsk = async () => {
    throw new RpcError(-1, 'The person said no.', { data: { because: 'busy' } })
  }
  void call(undefined, { onAsk })
  const up = await line()
  await up.got('tools/call')
  up.say({ jsonrpc: '2.0', id: 8, method: 'elicitation/create', params: {} })
  const error = { code: -1, message: 'The person said no.', data: { because: 'busy' } }
  expect(await until(() => up.sent.find((message) => 'error' in message))).toEqual({ jsonrpc: '2.0', id: 8, error })
})

test('a question that the upstream withdraws is aborted and not answered', async () => {
  const { call, line } = scriptedUpstream()
  const taken = Promise.withResolvers<AbortSignal>()
  const onAsk = (_: unknown, signal: AbortSignal) => {
    taken.resolve(signal)
    return new Promise<object>((resolve) => signal.addEventListener('abort', () => resolve({})))
  }
  void call(undefined, { onAsk })
  const up = await line()
  await up.got('tools/call')
  up.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} })
  const signal = await taken.promise
  up.notify('notifications/cancelled', { requestId: 'q' })
  expect(signal.aborted).toBe(true)
  await new Promise(setImmediate)
  expect(up.sent.some((message) => 'id' in message && message.id === 'q')).toBe(false)
})

test('each notice goes to the right listener', async () => {
  const heard: Record<string, unknown[]> = { one: [], other: [] }
  const { upstream, call, line, notices } = scriptedUpstream({ target: { reach: http, era: 'legacy' } })
  await upstream.ready()
  const up = await line()
  up.notify('notifications/message', { data: 'nobody runs' })
  const hearing = (who: string) => ({ onNotification: (method: string) => void heard[who]!.push(method) })
  const one = call({ name: 'one' }, hearing('one'))
  const first = await up.got('tools/call')
  up.notify('notifications/message', { data: 'only one runs' })
  void call({ name: 'other' }, hearing('other'))
  const second = await up.got('tools/call', 2)
  up.notify('notifications/message', { data: 'whose?' })
  up.notify('notifications/message', { data: 'the other’s' }, second)
  up.notify('notifications/vendor/thing', {}, second)
  up.notify('notifications/tools/list_changed', undefined, second)
  up.notify('notifications/resources/updated', { uri: 'a:b' }, first)
  up.notify('notifications/vendor/thing', { for: 'all' })
  up.answer(first, { content: [] })
  await one
  expect(heard).toEqual({
    one: ['notifications/message'],
    other: ['notifications/message', 'notifications/vendor/thing'],
  })
  expect(notices).toEqual([
    ['notifications/message', { data: 'nobody runs' }],
    ['notifications/message', { data: 'whose?' }],
    ['notifications/tools/list_changed', undefined],
    ['notifications/resources/updated', { uri: 'a:b' }],
    ['notifications/vendor/thing', { for: 'all' }],
  ])
})

test('in any order of answers, progress and cancellations, each caller gets only its own messages', async () => {
  const step = fc.record({ call: fc.nat(19), does: fc.constantFrom('answer', 'progress', 'cancel', 'refuse', 'again') })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const { call, line } = scriptedUpstream({ target: { strict: false } })
      const calls = Array.from({ length: 20 }, (_, number) => {
        const leaving = new AbortController()
        const progress: unknown[] = []
        const onProgress = (params: Params) => void progress.push(params)
        const outcome = call({ name: `call ${number}` }, { signal: leaving.signal, onProgress }).then(
          (result) => result as unknown,
          (error: RpcError) => error.message,
        )
        return { leaving, progress, outcome, said: [] as unknown[], ends: [] as unknown[] }
      })
      const up = await line()
      await up.got('tools/call', 20)
      const requests = new Map(up.sent.map((message) => [nameIn(message), message as RpcRequest]))
      for (const { call: number, does } of steps) {
        const { leaving, ends, said } = calls[number]!
        const request = requests.get(`call ${number}`)!
        const result = { of: number, time: ends.length }
        if (does === 'progress') {
          up.notify('notifications/progress', { progressToken: request.id, progress: said.length, of: number })
          if (ends.length === 0) said.push({ progress: said.length, of: number })
        } else if (does === 'cancel') {
          leaving.abort()
          ends.push('The call was cancelled.')
        } else if (does === 'refuse') {
          up.refuse(request, -5, `no ${number}`)
          ends.push(`no ${number}`)
        } else {
          up.answer(request, result)
          ends.push(result)
        }
      }
      for (const [number, { ends }] of calls.entries()) {
        if (ends.length === 0) up.answer(requests.get(`call ${number}`)!, { last: number })
      }
      for (const [number, { outcome, ends, progress, said }] of calls.entries()) {
        expect(await outcome).toEqual(ends[0] ?? { last: number })
        expect(progress).toEqual(said)
      }
    }),
    { numRuns: 30 },
  )
})

function nameIn(message: object): unknown {
  return 'params' in message ? (message.params as Params | undefined)?.['name'] : undefined
}

test('a question outside of an answer ends with the last call that it could belong to, and roots do not', async () => {
  const { upstream, line, call } = scriptedUpstream()
  await upstream.ready()
  const it = await line()
  const withdrawn: string[] = []
  const onAsk: UpstreamRequest['onAsk'] = ({ method }, signal) => {
    signal.addEventListener('abort', () => withdrawn.push(method))
    return new Promise(() => {})
  }
  const calls = [call({ name: 'a' }, { onAsk }), call({ name: 'b' }, { onAsk })]
  const [one, two] = [await it.got('tools/call', 1), await it.got('tools/call', 2)]
  it.say({ jsonrpc: '2.0', id: 'q1', method: 'elicitation/create', params: {} })
  it.say({ jsonrpc: '2.0', id: 'q2', method: 'roots/list' })
  it.answer(two, { content: [] })
  await calls[1]
  expect(withdrawn).toEqual([])
  it.answer(one, { content: [] })
  await calls[0]
  expect(withdrawn).toEqual(['elicitation/create'])
  expect(it.sent.at(-1)).toMatchObject({ id: 'q1', error: { code: -32800 } })
})
