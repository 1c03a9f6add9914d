import { getEventListeners } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import type { Line, Script } from '../../test/worlds/scripted-upstream.ts'
import { caller, http, modern, scriptedUpstream } from '../../test/worlds/scripted-upstream.ts'
import { until } from '../../test/fixtures/until.ts'
import type { RpcRequest } from '../mcp/mcp.ts'
import { metaOf } from '../mcp/mcp.ts'
import { idempotencyKey } from './envelope.ts'
import { NotSent } from './transport.ts'

afterEach(() => void vi.useRealTimers())

const timers = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] as const

const keyOf = ({ params }: RpcRequest) => metaOf(params)[idempotencyKey]
const dies: Script['on'] = (_, line) => {
  line.breaks.closed('books ended with exit code 1')
  return true
}

test('the first caller starts the upstream, and all other callers share that start', async () => {
  const { upstream, call, lines, line } = scriptedUpstream()
  expect(lines).toHaveLength(0)
  const calls = [call(), call(), upstream.ready(), upstream.ready()]
  const up = await line()
  for (const count of [1, 2]) up.answer(await up.got('tools/call', count), { content: [] })
  await Promise.all(calls)
  expect(lines).toHaveLength(1)
})

test('a caller that leaves during the start is released, and the start goes on', async () => {
  const gate = Promise.withResolvers<void>()
  const { upstream, call, lines } = scriptedUpstream({ onStart: () => gate.promise })
  const leaving = new AbortController()
  const answer = call(undefined, { signal: leaving.signal })
  leaving.abort()
  await expect(answer).rejects.toMatchObject({ code: -32800 })
  gate.resolve()
  await upstream.ready()
  expect(lines).toHaveLength(1)
})

test('a call that ran when the upstream ended has an unknown outcome, and the next call finds it running', async () => {
  const { call, line, upstream } = scriptedUpstream()
  const answer = call()
  const up = await line()
  await up.got('tools/call')
  up.breaks.closed('books was ended by SIGKILL')
  await expect(answer).rejects.toMatchObject({
    code: -32001,
    message:
      'The upstream "books" ended while the call ran; it is not known whether it took effect. books was ended by SIGKILL',
  })
  const next = call()
  const again = await line(2)
  again.answer(await again.got('tools/call'), { content: [] })
  expect(await next).toEqual({ content: [] })
  expect(up.isClosed).toBe(true)
  expect(upstream.status).toEqual({ is: 'running' })
})

test.each(['closed', 'forgotten'] as const)(
  'after "%s" a safe call is sent again once, with the same key',
  async (how) => {
    const { call, line } = scriptedUpstream()
    const answer = call(undefined, { isSafe: true })
    const up = await line()
    const first = await up.got('tools/call')
    up.breaks[how]('it crashed')
    const again = await line(2)
    const second = await again.got('tools/call')
    expect(keyOf(second)).toBe(keyOf(first))
    expect(keyOf(second)).toEqual(expect.any(String))
    again.breaks[how]('it crashed again')
    await expect(answer).rejects.toMatchObject({ code: -32001 })
  },
)

test('each call has its own key, and keeps the key that its caller gave it', async () => {
  const { call, line } = scriptedUpstream()
  for (const _meta of [{}, {}, { [idempotencyKey]: 'mine' }]) void call({ name: 'read', _meta })
  const up = await line()
  const keys = await Promise.all([1, 2, 3].map(async (count) => keyOf(await up.got('tools/call', count))))
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe('mine')
})

test('when an answer is lost while the upstream lives, a safe call is sent again and another is not', async () => {
  const { call, line, lines } = scriptedUpstream({ target: { reach: http, era: 'legacy' } })
  const safe = call({ name: 'safe' }, { isSafe: true })
  const up = await line()
  up.breaks.lost(await up.got('tools/call'), 'the stream broke')
  up.answer(await up.got('tools/call', 2), { content: [] })
  expect(await safe).toEqual({ content: [] })
  const unsafe = call({ name: 'unsafe' })
  up.breaks.lost(await up.got('tools/call', 3), 'the stream broke')
  await expect(unsafe).rejects.toThrow(/answer did not arrive; it is not known whether it took effect/)
  expect(lines).toHaveLength(1)
})

test('a call that was certainly not sent is sent once more after a restart, safe or not', async () => {
  let refusals = 1
  const { call, line, lines } = scriptedUpstream({
    target: { reach: http, era: 'legacy' },
    onSend: (message) =>
      'method' in message && message.method === 'tools/call' && refusals-- > 0 ? new NotSent('refused') : undefined,
  })
  const answer = call()
  const up = await line(2)
  up.answer(await up.got('tools/call'), { content: [] })
  expect(await answer).toEqual({ content: [] })
  expect(lines[0]!.isClosed).toBe(true)
  refusals = 2
  await expect(call()).rejects.toThrow('could not be reached; the call had no effect. refused')
})

test('a message whose failure is reported just after the end counts as not sent', async () => {
  const reporting = Promise.withResolvers<void>()
  const { call, line } = scriptedUpstream({
    onSend: (message, up) => {
      if (!('method' in message) || message.method !== 'tools/call' || up.sent.length > 3) return undefined
      up.breaks.closed('gone')
      reporting.resolve()
      return new NotSent('the pipe is closed')
    },
  })
  const answer = call()
  await reporting.promise
  // The first line refuses every call; the second is the same script, so its call fails as well.
  await expect(answer).rejects.toThrow('could not be reached')
  expect(await line(2)).toBeDefined()
})

test('an upstream that never ran reports the reason at once, and is tried again when it is needed', async () => {
  const { upstream, lines, statuses } = scriptedUpstream({ on: dies })
  await expect(upstream.ready()).rejects.toThrow('The upstream "books" is not available. books ended with exit code 1')
  expect(upstream.status).toEqual({ is: 'failed', reason: 'books ended with exit code 1' })
  expect(lines).toHaveLength(1)
  await expect(upstream.ready()).rejects.toThrow('exit code 1')
  expect(lines).toHaveLength(2)
  expect(statuses.at(-2)).toEqual({
    is: 'initializing',
    reason: 'books ended with exit code 1',
    retryAt: expect.any(String),
  })
})

test.each([
  ['a refusal', (line: Line, request: RpcRequest) => line.refuse(request, -32603, 'x'.repeat(1_000_000))],
  ['a revision', (line: Line, request: RpcRequest) => line.answer(request, { protocolVersion: 'x'.repeat(1_000_000) })],
])('of %s that is long, people get the beginning', async (_, answer) => {
  const { upstream } = scriptedUpstream({
    target: { strict: false },
    on: (request, line) => {
      answer(line, request)
      return true
    },
  })
  const error: unknown = await upstream.ready().catch((failure: unknown) => failure)
  expect(String(error).length).toBeLessThan(3_000)
  expect(upstream.status.reason).toMatch(/^It (refused|answered)/)
  expect(upstream.status.reason).toHaveLength(2_000)
})

test('after five failures in a row an upstream is given up for a minute, and calls fail at once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let isWell = false
  const { upstream, call, lines, line } = scriptedUpstream({ on: (request, up) => !isWell && dies(request, up) })
  for (let count = 0; count < 5; count++) await expect(upstream.ready()).rejects.toThrow('exit code 1')
  expect(upstream.status).toEqual({ is: 'failed', reason: 'books ended with exit code 1', retryAt: expect.any(String) })
  await expect(call()).rejects.toMatchObject({
    code: -32001,
    message: expect.stringMatching(/exit code 1.*next attempt/),
  })
  expect(lines).toHaveLength(5)

  vi.setSystemTime(Date.now() + 60_001)
  await expect(call()).rejects.toThrow('exit code 1')
  await expect(call()).rejects.toThrow('next attempt')
  expect(lines).toHaveLength(6)

  vi.setSystemTime(Date.now() + 60_001)
  isWell = true
  const answer = call()
  const up = await line(7)
  up.answer(await up.got('tools/call'), { content: [] })
  expect(await answer).toEqual({ content: [] })
})

test('an upstream that ran and then keeps failing is given up as well, even if it is not called', async () => {
  let isWell = true
  const { upstream, line, lines } = scriptedUpstream({ on: (request, up) => !isWell && dies(request, up) })
  await upstream.ready()
  isWell = false
  ;(await line()).breaks.closed('crashed')
  await until(() => upstream.status.is === 'failed')
  // The end itself was the first of five failures.
  expect(lines).toHaveLength(5)
})

test('a restart by hand closes the circuit', async () => {
  let isWell = false
  const { upstream, line } = scriptedUpstream({ on: (request, up) => !isWell && dies(request, up) })
  for (let count = 0; count < 5; count++) await expect(upstream.ready()).rejects.toThrow()
  isWell = true
  await upstream.restart()
  expect(upstream.status).toEqual({ is: 'running' })
  isWell = false
  ;(await line(6)).breaks.closed('crashed')
  expect(upstream.status).toMatchObject({ is: 'initializing', reason: 'crashed' })
})

test('the old connection is gone before the new one starts', async () => {
  const gone = Promise.withResolvers<void>()
  const { upstream, lines } = scriptedUpstream({ onClose: () => gone.promise })
  await upstream.ready()
  const restarted = upstream.restart()
  await new Promise(setImmediate)
  expect(lines).toHaveLength(1)
  gone.resolve()
  await restarted
  expect(lines.map(({ isClosed }) => isClosed)).toEqual([true, false])
})

test('an upstream that answers lists and crashes at each call is given up too', async () => {
  const { upstream, call } = scriptedUpstream({
    on(request, up) {
      if (request.method === 'tools/list') up.answer(request, { tools: [] })
      else if (request.method === 'tools/call') up.breaks.closed('crashed')
      else return false
      return true
    },
  })
  for (let count = 0; count < 5; count++) {
    await upstream.request('tools/list', {}, caller())
    await expect(call()).rejects.toThrow('ended while the call ran')
  }
  expect(upstream.status).toMatchObject({ is: 'failed', retryAt: expect.any(String) })
})

test('an upstream that answers calls is never given up, however often it ends between them', async () => {
  const { upstream, call, line, statuses } = scriptedUpstream()
  for (let count = 1; count <= 8; count++) {
    const answer = call()
    const up = await line(count)
    up.answer(await up.got('tools/call'), { content: [] })
    await answer
    up.breaks.closed('crashed')
  }
  await upstream.ready()
  expect(statuses.map(({ is }) => is)).not.toContain('failed')
})

test('callers wait for an upstream that ran before and is away for a moment', async () => {
  let away = 2
  const { upstream, call, line } = scriptedUpstream({
    on: (request, up) => (request.method === 'initialize' && away-- <= 0 ? false : away >= 0 && dies(request, up)),
  })
  away = 0
  await upstream.ready()
  away = 2
  ;(await line()).breaks.closed('restarting')
  const answer = call()
  const up = await line(4)
  up.answer(await up.got('tools/call'), { content: [] })
  expect(await answer).toEqual({ content: [] })
})

test('a restart ends the connection, and running calls fail, safe ones too', async () => {
  const { upstream, call, line } = scriptedUpstream()
  const answer = call(undefined, { isSafe: true })
  const old = await line()
  await old.got('tools/call')
  await upstream.restart()
  await expect(answer).rejects.toThrow('was stopped while the call ran')
  expect(old.isClosed).toBe(true)
  expect(upstream.status).toEqual({ is: 'running' })
  const after = call()
  const up = await line(2)
  up.answer(await up.got('tools/call'), { content: [] })
  expect(await after).toEqual({ content: [] })
})

test('a restart during a start ends that start first', async () => {
  const { upstream, lines } = scriptedUpstream({
    onStart: (line) => (lines.indexOf(line) === 0 ? new Promise(() => {}) : undefined),
  })
  const first = upstream.ready()
  await until(() => lines.length === 1)
  await upstream.restart()
  expect(lines.map(({ isClosed }) => isClosed)).toEqual([true, false])
  expect(await first).toMatchObject({ era: 'legacy' })
})

test('a silent upstream with an open request is pinged, and restarted if it does not answer the ping', async () => {
  const { call, line, lines } = scriptedUpstream({
    target: { heartbeatMs: 40 },
    on: ({ method }, up) => lines.indexOf(up) === 0 && method === 'ping' && up.sent.length > 4,
  })
  const answer = call()
  const up = await line()
  await up.got('ping', 2)
  await expect(answer).rejects.toThrow('did not answer a ping')
  expect(up.isClosed).toBe(true)
})

test('an upstream with a slow handshake is not pinged meanwhile', async () => {
  const { upstream, lines } = scriptedUpstream({
    target: { heartbeatMs: 10 },
    on(request, up) {
      if (request.method !== 'initialize' || up.sent.length > 1) return false
      setTimeout(() => up.answer(request, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} }), 200)
      return true
    },
  })
  expect(await upstream.ready()).toMatchObject({ era: 'legacy' })
  expect(lines[0]!.sent).toHaveLength(2)
})

test('an upstream without open requests is not pinged', async () => {
  vi.useFakeTimers({ toFake: [...timers] })
  const { call, line } = scriptedUpstream({ target: { heartbeatMs: 1_000 } })
  const answer = call()
  const up = await line()
  up.answer(await up.got('tools/call'), { content: [] })
  await answer
  await vi.advanceTimersByTimeAsync(10_000)
  expect(up.sent.some((message) => 'method' in message && message.method === 'ping')).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})

test('a disposed upstream rejects all waiting calls, closes its transport and does not start again', async () => {
  const { upstream, call, line, lines } = scriptedUpstream()
  const answer = call()
  const up = await line()
  await up.got('tools/call')
  await upstream[Symbol.asyncDispose]()
  await expect(answer).rejects.toThrow('was stopped')
  expect(up.isClosed).toBe(true)
  await expect(call()).rejects.toThrow('It was shut down')
  await expect(upstream.restart()).rejects.toThrow('It was shut down')
  expect(lines).toHaveLength(1)
  expect(upstream.status).toEqual({ is: 'stopped' })
})

test('fifty restarts leave no timer and no listener behind', async () => {
  vi.useFakeTimers({ toFake: [...timers] })
  const { upstream, call, line } = scriptedUpstream({ target: { callMs: 60_000 } })
  const staying = new AbortController()
  await upstream.subscribe('a:1')
  for (let count = 1; count <= 50; count++) {
    const answered = call(undefined, { signal: staying.signal, onProgress: () => {} })
    const up = await line(count)
    up.answer(await up.got('tools/call'), { content: [] })
    await answered
    const running = call(undefined, { signal: staying.signal })
    await up.got('tools/call', 2)
    if (count % 3 === 0) up.breaks.closed('crashed')
    else await upstream.restart()
    await expect(running).rejects.toThrow('while the call ran')
  }
  await upstream[Symbol.asyncDispose]()
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(staying.signal, 'abort')).toEqual([])
})

test('a modern upstream over HTTP that went away is found again', async () => {
  let isAway = false
  const { upstream, call, line } = scriptedUpstream({
    target: { reach: http },
    on: modern,
    onSend: () => (isAway ? new NotSent('connection refused') : undefined),
  })
  await upstream.ready()
  isAway = true
  const answer = call()
  await until(() => upstream.status.is === 'initializing')
  isAway = false
  const up = await until(
    async () => (await line(2)).sent.some((m) => 'method' in m && m.method === 'tools/call') && line(2),
  )
  up.answer(await up.got('tools/call'), { resultType: 'complete', content: [] })
  expect(await answer).toMatchObject({ content: [] })
})
