import fc from 'fast-check'
import { expect, test } from 'vitest'
import { caller, http, modern, scriptedUpstream } from '../../../test/fixtures/scripted-upstream.ts'
import { until } from '../../../test/fixtures/until.ts'
import { parseExactly } from '../../base/exact-numbers.ts'
import { RpcError } from '../wire.ts'
import type { Params, RpcRequest } from '../wire.ts'
import { idempotencyKey } from './envelope.ts'

test('params go up as they came, but for our own progress token and the key', async () => {
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

test('nobody who hears no progress asks for any, and the envelope of the other era stays behind', async () => {
  const { upstream, line } = scriptedUpstream()
  const _meta = { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const answer = upstream.request('tools/list', { _meta, cursor: 'x' }, caller())
  const up = await line()
  const request = await up.got('tools/list')
  expect(request.params).toEqual({ cursor: 'x' })
  up.answer(request, { tools: [] })
  expect(await answer).toEqual({ tools: [] })
})

test('a result comes back as it is, whatever is in it', async () => {
  const result = { content: [{ type: 'hologram', beams: 3 }], structuredContent: [1], _meta: { a: 1 }, novel: null }
  const { call, line } = scriptedUpstream()
  const answer = call()
  ;(await line()).answer(await (await line()).got('tools/call'), result)
  expect(await answer).toBe(result)
})

test('progress is told in numbers that can be reckoned with, however large they were', async () => {
  const { call, line } = scriptedUpstream()
  const steps: Params[] = []
  void call({}, { onProgress: (step) => void steps.push(step) })
  const up = await line()
  const { id } = await up.got('tools/call')
  const params = `{"progressToken":${id},"progress":1234567890123456789,"total":2}`
  up.say(parseExactly(`{"jsonrpc":"2.0","method":"notifications/progress","params":${params}}`))
  expect(steps).toEqual([{ progress: Number('1234567890123456789'), total: 2 }])
})

test('an error comes back with its code, message and data', async () => {
  const { call, line } = scriptedUpstream()
  const answer = call()
  ;(await line()).refuse(await (await line()).got('tools/call'), -31999, 'No such book', { isbn: '1' })
  await expect(answer).rejects.toMatchObject({ code: -31999, message: 'No such book', data: { isbn: '1' } })
})

test('progress that comes in one packet with the result is heard before it', async () => {
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

test('a caller that leaves is let go at once, and the upstream is told why', async () => {
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

test('over HTTP at 2026-07-28 letting go of the answer is the cancellation', async () => {
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

test('a caller that has left already sends nothing', async () => {
  const { upstream, call, line } = scriptedUpstream()
  await upstream.ready()
  await expect(call(undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: -32800 })
  expect((await line()).sent.map((message) => 'method' in message && message.method)).not.toContain('tools/call')
})

test('a call that takes longer than allowed is cancelled, and the error says which setting', async () => {
  const { call, line } = scriptedUpstream({ target: { callMs: 100 } })
  await expect(call()).rejects.toMatchObject({ code: -32001, message: expect.stringContaining('call_ms') })
  const cancellation = await until(async () => (await line()).sent.at(-1))
  expect(cancellation).toMatchObject({ method: 'notifications/cancelled' })
})

test('late, second and foreign answers reach nobody; the last two are told once', async () => {
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
  expect(breaches).toEqual(['It answered one request twice.', 'It answered with an id that no request of ours has.'])
})

test('garbage between messages harms nothing', async () => {
  const { call, line, breaches } = scriptedUpstream()
  const answer = call()
  const up = await line()
  const request = await up.got('tools/call')
  up.breaks.garbage('it is no JSON: hello')
  for (const odd of [null, 7, 'text', [], {}]) up.say(odd)
  up.answer(request, { content: [] })
  expect(await answer).toEqual({ content: [] })
  expect(breaches).toContain('It sent something that is no message of JSON-RPC.')
})

test('a refusal that names no request belongs to the one it came with, or to the only one there is', async () => {
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

test('a question goes to the request it came with, and the answer goes back as it is', async () => {
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

test('a question that belongs to nothing is the hub’s; a ping is answered here', async () => {
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

test('a refused question goes back with code, message and data', async () => {
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

test('a question that the upstream takes back is aborted, and not answered', async () => {
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

test('notices go where they belong', async () => {
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

test('whatever the order of answers, progress and cancellations, nobody gets what is another’s', async () => {
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
