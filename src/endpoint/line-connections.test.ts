/** MCP of both eras over real sockets, one message per line. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLines } from '../../test/harness/line-client.ts'
import { modernMeta } from '../../test/harness/modern-call.ts'
import { parseExactly } from '../base/exact-numbers.ts'
import { openTestSocket, type TestSocket } from '../../test/worlds/socket-hub.ts'

let session: TestSocket
beforeAll(async () => void (session = await openTestSocket()))
afterAll(async () => {
  expect(session.hub.faults()).toEqual([])
  await session[Symbol.asyncDispose]()
})

const patience = { timeout: 60_000, interval: 5 }
const uri = 'test://counter/lines'

function initialize(version: string, capabilities = {}) {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } }
  return { jsonrpc: '2.0', id: 'hello', method: 'initialize', params }
}

function modern(id: string | number, method: string, params: Readonly<Record<string, unknown>> = {}, meta = {}) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...modernMeta, ...meta } } }
}

function guided(label: string) {
  return { name: 'test_guided', arguments: { label } }
}

async function untilRunning(label: string): Promise<void> {
  const running = { running: expect.arrayContaining([label]) }
  await expect.poll(() => session.call('test_calls'), patience).toMatchObject(running)
}

async function untilCancelled(label: string): Promise<void> {
  const cancelled = { cancelled: expect.arrayContaining([label]) }
  await expect.poll(() => session.call('test_calls'), patience).toMatchObject(cancelled)
}

describe('legacy', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'a client of %s connects and is answered',
    async (version) => {
      await using client = await openLines(session.path)
      client.send(initialize(version), { jsonrpc: '2.0', method: 'notifications/initialized' })
      expect(await client.answer('hello')).toMatchObject({ result: { protocolVersion: version } })
      client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { jsonrpc: '2.0', id: 2, method: 'ping' })
      expect(await client.answer(1)).toMatchObject({ result: { tools: expect.any(Array) } })
      expect(await client.answer(2)).toMatchObject({ result: {} })
    },
  )

  test('a request with a number that a double cannot hold is refused under its id', async () => {
    await using client = await openLines(session.path)
    client.send(initialize('2025-11-25'))
    await client.answer('hello')
    client.send({ jsonrpc: '2.0', id: 1, method: 'ping', params: parseExactly('{"n":1e400}') })
    expect(await client.answer(1)).toMatchObject({ error: { code: -32602, message: expect.stringMatching('1e400') } })
  })

  test('nothing is answered before initialize', async () => {
    await using client = await openLines(session.path)
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(await client.answer(1)).toMatchObject({
      error: { code: -32600, message: expect.stringMatching('initialize') },
    })
  })

  test('progress arrives before the answer', async () => {
    await using client = await openLines(session.path)
    client.send(initialize('2025-11-25'))
    const params = { name: 'test_tool_with_progress', _meta: { progressToken: 'p' } }
    client.send({ jsonrpc: '2.0', id: 3, method: 'tools/call', params })
    await client.answer(3)
    const steps = client.messages.filter(({ method }) => method === 'notifications/progress')
    expect(steps).toMatchObject([0, 50, 100].map((progress) => ({ params: { progress, progressToken: 'p' } })))
    expect(client.messages.at(-1)).toMatchObject({ id: 3 })
  })

  test('a client can cancel a call, and a call can ask its client', async () => {
    await using client = await openLines(session.path)
    client.send(initialize('2025-11-25', { elicitation: {} }))
    client.send({ jsonrpc: '2.0', id: 'g', method: 'tools/call', params: guided('legacy') })
    await untilRunning('legacy')
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'g' } })
    await untilCancelled('legacy')

    const asking = { name: 'test_elicitation', arguments: { message: 'Who?' } }
    client.send({ jsonrpc: '2.0', id: 'e', method: 'tools/call', params: asking })
    const question = () => client.messages.find(({ method }) => method === 'elicitation/create')
    await expect.poll(question, patience).toBeDefined()
    client.send({ jsonrpc: '2.0', id: question()?.['id'], result: { action: 'decline' } })
    expect(await client.answer('e')).toMatchObject({
      result: { content: [{ text: expect.stringContaining('decline') }] },
    })
  })

  test('a subscriber is notified of each change', async () => {
    await using client = await openLines(session.path)
    client.send(initialize('2025-11-25'), { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } })
    await client.answer(1)
    await session.call('test_change', { uris: [uri, 'test://counter/another'] })
    const updates = () => client.messages.filter(({ method }) => method === 'notifications/resources/updated')
    await expect.poll(updates, patience).toMatchObject([{ params: { uri } }])
  })

  test('a batch is accepted in the one revision that has batches', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
    await using client = await openLines(session.path)
    client.send(initialize('2025-03-26'), batch)
    expect(await client.answer(1)).toMatchObject({ result: {} })
    expect(await client.answer(2)).toMatchObject({ result: {} })

    await using newer = await openLines(session.path)
    newer.send(initialize('2025-06-18'), batch)
    await expect.poll(() => newer.messages.at(-1), patience).toMatchObject({ id: null, error: { code: -32600 } })
  })
})

describe('2026-07-28', () => {
  test('each request is complete without a handshake and without headers', async () => {
    await using client = await openLines(session.path)
    expect(await client.request('server/discover')).toMatchObject({
      result: { resultType: 'complete', supportedVersions: ['2026-07-28'] },
    })
    expect(await client.request('tools/list')).toMatchObject({ result: { ttlMs: 10_000, tools: expect.any(Array) } })
    const call = { name: 'test_x_mcp_header', arguments: { region: 'north' } }
    expect(await client.request('tools/call', call)).toMatchObject({ result: { resultType: 'complete' } })
  })

  test('an unknown revision and an incomplete _meta get the error codes of the specification', async () => {
    await using client = await openLines(session.path)
    client.send(modern(1, 'tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }))
    expect(await client.answer(1)).toMatchObject({ error: { code: -32022 } })
    const half = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }
    client.send({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: half })
    expect(await client.answer(2)).toMatchObject({ error: { code: -32602 } })
  })

  test('a cancelled request is never answered', async () => {
    await using client = await openLines(session.path)
    client.send(modern('g', 'tools/call', guided('modern'), { progressToken: 'p' }))
    await untilRunning('modern')
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'g' } })
    await untilCancelled('modern')
    await client.request('tools/list')
    expect(client.messages.filter(({ id }) => id === 'g')).toEqual([])
  })

  test('two requests with one id cannot run at once', async () => {
    await using client = await openLines(session.path)
    client.send(modern('same', 'tools/call', guided('first')))
    await untilRunning('first')
    client.send(modern('same', 'tools/list'))
    expect(await client.answer('same')).toMatchObject({ error: { code: -32600 } })
  })

  test('subscriptions share the stream, each under its own id, until they are cancelled', async () => {
    await using client = await openLines(session.path)
    const other = 'test://counter/other'
    client.send(modern('one', 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }))
    client.send(modern('two', 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri, other] } }))
    await expect.poll(() => client.messages, patience).toHaveLength(2)
    await session.call('test_change', { uris: [uri] })
    await expect.poll(() => client.messages, patience).toHaveLength(4)
    expect(new Set(client.messages.slice(2).map(subscriptionOf))).toEqual(new Set(['one', 'two']))

    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'two' } })
    await client.request('tools/list')
    await session.call('test_change', { uris: [uri, other] })
    await expect.poll(() => client.messages.filter((message) => subscriptionOf(message) === 'one')).toHaveLength(3)
    await client.request('tools/list')
    expect(client.messages.filter((message) => subscriptionOf(message) === 'two')).toHaveLength(2)
  })

  test('running requests and subscriptions end with the connection', async () => {
    const before = { connections: 1, listeners: 0 }
    await expect.poll(() => session.hub.endpoint.counts(), patience).toEqual(before)
    const client = await openLines(session.path)
    client.send(modern('l', 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }))
    client.send(modern('g', 'tools/call', guided('left')))
    client.send(initialize('2025-11-25'), { jsonrpc: '2.0', id: 'h', method: 'tools/call', params: guided('left too') })
    await untilRunning('left')
    await untilRunning('left too')
    expect(session.hub.endpoint.counts()).toEqual({ connections: 2, listeners: 1 })
    await client[Symbol.asyncDispose]()
    await untilCancelled('left')
    await untilCancelled('left too')
    await expect.poll(() => session.hub.endpoint.counts(), patience).toEqual(before)
  })
})

test('an invalid line gets an error, and the connection stays open', async () => {
  await using client = await openLines(session.path)
  client.socket.write('{"jsonrpc": "2.0", "id": 1,\n\r\n\n[]\n"text"\n')
  client.socket.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]))
  await expect.poll(() => client.messages, patience).toHaveLength(4)
  const codes = client.messages.map(({ error }) => (error as { code: number }).code)
  expect(codes).toEqual([-32700, -32600, -32600, -32700])
  expect(await client.request('tools/list')).toHaveProperty('result')
})

test('a stopping hub answers running requests, ends subscriptions and closes the connection', async () => {
  await using own = await openTestSocket('stopping')
  await using client = await openLines(own.path)
  client.send(modern('l', 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }))
  client.send(modern('g', 'tools/call', guided('stopped')))
  client.send(initialize('2025-11-25'), {
    jsonrpc: '2.0',
    id: 'h',
    method: 'tools/call',
    params: guided('stopped too'),
  })
  const running = { running: expect.arrayContaining(['stopped', 'stopped too']) }
  await expect.poll(() => own.call('test_calls'), patience).toMatchObject(running)
  expect(own.hub.endpoint.isBusy).toBe(true)

  await own.hub.endpoint.stop()

  expect(await client.answer('g')).toMatchObject({ error: { message: expect.stringContaining('stopping') } })
  expect(await client.answer('h')).toMatchObject({ error: { message: expect.stringContaining('stopping') } })
  expect(await client.answer('l')).toMatchObject({ result: { resultType: 'complete' } })
  await client.ended
})

function subscriptionOf({ params }: Readonly<Record<string, unknown>>): string | undefined {
  const meta = (params as { _meta?: Record<string, string> } | undefined)?._meta
  return meta?.['io.modelcontextprotocol/subscriptionId']
}
