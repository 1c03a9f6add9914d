/** HTTP+SSE of 2024-11-05, which old clients still use. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseExactly } from '../../src/base/exact-numbers.ts'
import { openStream } from './event-stream.ts'
import { exchange } from './exchange.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { hello, openSsePair } from './sse-pair.ts'
import { toolsOfEvents } from './tools-of-events.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub({ env: { SIGNALBOX_MAX_CONNECTIONS_PER_TOKEN: '8' } })))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

const uri = 'test://counter/pair'

test('GET /sse first names the address for messages, on a stream that proxies do not buffer', async () => {
  using pair = await openSsePair(hub)
  expect(pair.stream.status).toBe(200)
  expect(pair.stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  expect(pair.address).toMatch(/^\/messages\?\S+$/)
})

test('each message is accepted with 202 and answered on the stream', async () => {
  using pair = await openSsePair(hub)
  const taken = await pair.post(hello)
  expect(taken.status).toBe(202)
  expect(await pair.stream.message()).toMatchObject({ id: 'hello', result: { protocolVersion: '2024-11-05' } })

  expect((await pair.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
  await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(await pair.stream.message()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
  await pair.post({ jsonrpc: '2.0', id: 2, method: 'no/such' })
  expect(await pair.stream.message()).toMatchObject({ id: 2, error: { code: -32601 } })
})

test('a request with a number that a double cannot hold is refused on the stream', async () => {
  using pair = await openSsePair(hub)
  await pair.post(hello)
  await pair.stream.message()
  const params = parseExactly('{"name":"hub_status","arguments":{"n":1234567890123456789}}')
  expect((await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).status).toBe(202)
  expect(await pair.stream.message()).toMatchObject({ id: 1, error: { code: -32602 } })
})

test('the progress and the answer of a call arrive in order', async () => {
  using pair = await openSsePair(hub)
  await pair.post(hello)
  await pair.stream.message()
  const params = { name: 'test_tool_with_progress', _meta: { progressToken: 'p' } }
  await pair.post({ jsonrpc: '2.0', id: 3, method: 'tools/call', params })
  for (const progress of [0, 50, 100]) {
    expect(await pair.stream.message()).toMatchObject({ method: 'notifications/progress', params: { progress } })
  }
  expect(await pair.stream.message()).toMatchObject({ id: 3, result: {} })
})

test('a subscriber gets each notice once', async () => {
  using pair = await openSsePair(hub)
  await pair.post(hello)
  await pair.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } })
  await expect.poll(() => pair.stream.messages, patience).toHaveLength(2)
  await hub.call('test_change', { uris: [uri, 'test://counter/another'] })
  await hub.call('test_change', { uris: [uri] })

  const notice = { method: 'notifications/resources/updated', params: { uri } }
  await expect.poll(() => pair.stream.messages.slice(2), patience).toMatchObject([notice, notice])
})

test('a client can cancel a call, and a call can ask its client', async () => {
  using pair = await openSsePair(hub)
  await pair.post({ ...hello, params: { ...hello.params, capabilities: { elicitation: {} } } })
  await pair.stream.message()
  const guided = { name: 'test_guided', arguments: { label: 'pair' } }
  await pair.post({ jsonrpc: '2.0', id: 'g', method: 'tools/call', params: guided })
  await hub.isRunning('pair')
  await pair.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'g' } })
  expect(await pair.stream.message()).toMatchObject({ id: 'g', error: {} })

  const asking = { name: 'test_elicitation', arguments: { message: 'Who?' } }
  await pair.post({ jsonrpc: '2.0', id: 'e', method: 'tools/call', params: asking })
  const { id } = (await pair.stream.message()) as { id: string }
  await pair.post({ jsonrpc: '2.0', id, result: { action: 'decline' } })
  expect(await pair.stream.message()).toMatchObject({
    id: 'e',
    result: { content: [{ text: expect.stringContaining('decline') }] },
  })
})

test('closing the stream cancels its calls and ends its address', async () => {
  await expect.poll(connections, patience).toBe(0)
  using pair = await openSsePair(hub)
  await pair.post(hello)
  await pair.stream.message()
  const guided = { name: 'test_guided', arguments: { label: 'left' } }
  await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: guided })
  await hub.isRunning('left')
  expect(await connections()).toBe(1)
  pair.stream.close()

  await expect
    .poll(() => hub.call('test_calls'), patience)
    .toMatchObject({ cancelled: expect.arrayContaining(['left']) })
  await expect.poll(connections, patience).toBe(0)
  expect((await pair.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(404)
})

test('the toolsets in the address of the stream select the listed tools', async () => {
  using pair = await openSsePair(hub, { query: '?toolsets=events' })
  await pair.post(hello)
  await pair.stream.message()
  await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { result } = (await pair.stream.message()) as { result: { tools: { name: string }[] } }
  expect(result.tools.map(({ name }) => name)).toEqual(toolsOfEvents)
  expect((await exchange(hub, { method: 'GET', path: '/sse?toolsets=nonsense' })).status).toBe(400)
})

test('hundreds of requests on one stream leave no listeners behind', async () => {
  using pair = await openSsePair(hub)
  await pair.post(hello)
  for (let id = 0; id < 300; id++) await pair.post({ jsonrpc: '2.0', id, method: 'ping' })
  await expect.poll(() => pair.stream.messages, patience).toHaveLength(301)
  expect(hub.log()).not.toContain('MaxListenersExceeded')
})

describe('errors', () => {
  test('a request before initialize is answered with an error', async () => {
    using pair = await openSsePair(hub)
    await pair.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(await pair.stream.message()).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('initialize') },
    })
  })

  test('a second initialize is refused, and the connection continues', async () => {
    using pair = await openSsePair(hub)
    await pair.post(hello)
    await pair.stream.message()
    await pair.post({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } })
    await pair.stream.message()
    await pair.post({ ...hello, id: 'again' })
    expect(await pair.stream.message()).toMatchObject({ id: 'again', error: { code: -32600 } })
    await hub.call('test_change', { uris: [uri] })
    expect(await pair.stream.message()).toMatchObject({ method: 'notifications/resources/updated' })
  })

  test('an initialize without params is answered on the stream', async () => {
    using pair = await openSsePair(hub)
    await pair.post({ jsonrpc: '2.0', id: 'h', method: 'initialize' })
    expect(await pair.stream.message()).toMatchObject({ id: 'h', error: { code: -32602 } })
  })

  test('a message with a wrong address, token, body or method is refused with an HTTP status', async () => {
    using pair = await openSsePair(hub)
    const { token } = await hub.call('issue_token', { role: 'human' })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const tried = await Promise.all([
      exchange(hub, { path: '/messages', body: ping }),
      exchange(hub, { path: '/messages?connection=nobody', body: ping }),
      exchange(hub, { path: pair.address, body: ping, token: String(token) }),
      exchange(hub, { path: pair.address, body: '{"jsonrpc": "2.0", ' }),
      exchange(hub, { path: pair.address, body: [ping] }),
      exchange(hub, { path: pair.address, body: ping, headers: { 'content-type': 'text/plain' } }),
      exchange(hub, { path: pair.address, method: 'GET' }),
      exchange(hub, { path: '/sse', body: ping }),
    ])
    expect(tried.map(({ status }) => status)).toEqual([400, 404, 404, 400, 400, 415, 405, 405])
    for (const { body } of tried) expect(body).toMatchObject({ error: expect.anything() })
  })

  test('the limit of connections of a token also counts these streams', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const pairs = await Promise.all(Array.from({ length: 8 }, () => openSsePair(hub, { token: String(token) })))
    const { status, body } = await exchange(hub, { method: 'GET', path: '/sse', token: String(token) })
    expect(status).toBe(429)
    expect(body).toMatchObject({ error: { message: expect.stringContaining('8') } })
    for (const pair of pairs) pair.stream.close()
    await expect.poll(() => statusOfSse(String(token)), patience).toBe(200)
  })
})

async function statusOfSse(token: string): Promise<number> {
  using stream = await openStream(hub, { method: 'GET', path: '/sse', token })
  return stream.status
}

async function connections(): Promise<number> {
  return Number((await hub.call('hub_status'))['connections'])
}
