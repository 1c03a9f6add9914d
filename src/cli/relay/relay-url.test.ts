/** Runs the relay as a process between a client and the endpoint of a hub. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RestartableHub, startRestartableHub } from '../../../test/worlds/restartable-hub.ts'
import { fixtureHub, startHubProcess } from '../../../test/worlds/hub-process.ts'
import { modernMeta } from '../../../test/harness/modern-call.ts'
import { type Recorded, type Respond, startRecordingServer } from '../../../test/harness/recording-server.ts'
import { type RelayProcess, startRelay } from '../../../test/worlds/relay-process.ts'
import { createTempHome } from '../../../test/harness/temp-home.ts'

const slowly = { timeout: 60_000, interval: 10 }

function modern(id: string | number, method: string, params: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta } }
}

const hello = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

function callOf(name: string, args = {}, meta = {}) {
  return { method: 'tools/call', params: { name, arguments: args, ...(meta && { _meta: meta }) } }
}

function updatesIn({ messages }: RelayProcess): unknown[] {
  return messages
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => (params as { uri: string }).uri)
}

describe('the relay', () => {
  const odd =
    '{\n  "jsonrpc": "2.0",\r\n  "id": 7,\n  "result": {"big": 12345678901234567890, "\\u0041": 1, "task": {"x": []}}\n}'
  const flat = odd.replaceAll(/[\r\n]+/g, ' ')

  test('forwards a legacy message and its answer unchanged, with unknown fields', async () => {
    const respond: Respond = ({ method, body }, response) => {
      if (method !== 'POST') response.writeHead(405).end()
      else if (body.includes('initialize"')) {
        const text = '{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"2025-06-18","novelty":1}}'
        response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'abc' }).end(text)
      } else if (body.includes('"id"')) response.writeHead(200, { 'Content-Type': 'application/json' }).end(odd)
      else response.writeHead(202).end()
    }
    await using server = await startRecordingServer(respond)
    await using relay = startRelay(['--url', server.url], { SIGNALBOX_TOKEN: 'secret' })
    const custom = { jsonrpc: '2.0', id: 7, method: 'x/custom', params: { _meta: { 'my/key': 1 } }, beyond: true }
    relay.send(hello, initialized, custom)
    expect(await relay.answer('hello')).toMatchObject({ result: { novelty: 1 } })
    await relay.answer(7)
    expect(relay.lines.at(-1)).toBe(flat)

    const posts = server.requests.filter(({ method }) => method === 'POST')
    expect(posts.map(({ body }) => body)).toEqual([hello, initialized, custom].map((each) => JSON.stringify(each)))
    const common = { authorization: 'Bearer secret', accept: 'application/json, text/event-stream' }
    for (const { headers } of posts) expect(headers).toMatchObject(common)
    expect(posts[0]?.headers).not.toHaveProperty('mcp-session-id')
    const later = { 'mcp-session-id': 'abc', 'mcp-protocol-version': '2025-06-18' }
    expect(posts[2]?.headers).toMatchObject(later)

    relay.finish()
    expect(await relay.exit).toEqual({ code: 0, stderr: '' })
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: later })
  })

  test('adds the headers that repeat the body of a modern request', async () => {
    await using server = await startRecordingServer((_, response) => {
      const events = `: hi\n\ndata: {"jsonrpc":"2.0","method":"x/notice"}\n\nevent: message\ndata: ${odd.replaceAll(/\r?\n/g, '\ndata: ')}\n\n`
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(events)
    })
    await using relay = startRelay(['--url', server.url], { SIGNALBOX_TOKEN: 'secret' })
    const request = modern(7, 'tools/call', { name: ' Größe ', arguments: {}, beyond: [1] })
    relay.send(request)
    await relay.answer(7)
    expect(relay.lines).toEqual(['{"jsonrpc":"2.0","method":"x/notice"}', flat])
    const [{ headers, body } = {} as Recorded] = server.requests
    expect(body).toBe(JSON.stringify(request))
    expect(headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from(' Größe ').toString('base64')}?=`,
    })
    expect(headers).not.toHaveProperty('mcp-session-id')
  })

  test('answers a request with a refusal that has no id, and a line that is not a message with the id null', async () => {
    await using server = await startRecordingServer((_, response) => {
      const text = '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Too many.","data":{"a":1}}}'
      response.writeHead(429, { 'Content-Type': 'application/json' }).end(text)
    })
    await using relay = startRelay(['--url', server.url], { SIGNALBOX_TOKEN: 'secret' })
    relay.send(modern('m', 'tools/list'), { jsonrpc: '2.0', id: 'l', method: 'tools/list' }, 'no message')
    for (const id of ['m', 'l']) {
      expect(await relay.answer(id)).toMatchObject({ error: { code: -32005, message: 'Too many.', data: { a: 1 } } })
    }
    await expect.poll(() => relay.messages, slowly).toHaveLength(3)
    expect(server.requests).toHaveLength(2)
  })

  test.each([
    ['202', (): Respond => (_, response) => void response.writeHead(202).end()],
    ['a page', (): Respond => (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('hi')],
    ['a broken stream', (): Respond => (_, response) => void response.writeHead(200, eventStream).write('data: x')],
  ])('answers a request itself if the server answers with %s', async (_, respond) => {
    await using server = await startRecordingServer((request, response) => {
      respond()(request, response)
      setTimeout(() => response.destroy(), 50)
    })
    await using relay = startRelay(['--url', server.url], { SIGNALBOX_TOKEN: 'secret' })
    relay.send(modern('m', ...call), { jsonrpc: '2.0', id: 'l', method: call[0], params: call[1] })
    for (const id of ['m', 'l']) {
      expect(await relay.answer(id)).toMatchObject({ error: { data: { outcome: 'unknown' } } })
    }
  })
  const eventStream = { 'Content-Type': 'text/event-stream' }
  const call = ['tools/call', { name: 'x', arguments: {} }] as const

  test('opens a new connection with the same subscriptions if the hub has dropped the old one', async () => {
    let current = 0
    const respond: Respond = ({ method, body, headers }, response) => {
      const known = headers['mcp-session-id'] === `c${current}`
      if (method === 'POST' && body.includes('"initialize"')) {
        const text = '{"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"2025-11-25"}}'
        response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': `c${++current}` }).end(text)
      } else if (!known) response.writeHead(404).end()
      else if (method !== 'POST') response.writeHead(405).end()
      else if (!body.includes('"id"')) response.writeHead(202).end()
      else {
        const { id } = JSON.parse(body) as { id: number }
        response.writeHead(200, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { on: current } }))
      }
    }
    await using server = await startRecordingServer(respond)
    await using relay = startRelay(['--url', server.url], { SIGNALBOX_TOKEN: 'secret' })
    relay.send(hello, initialized)
    relay.send({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'test://a' } })
    await relay.answer(1)
    current = 100
    relay.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    expect(await relay.answer(2)).toMatchObject({ result: { on: 101 } })
    const onNew = server.requests.filter(({ headers }) => headers['mcp-session-id'] === 'c101')
    const posted = onNew.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).method as string)
    expect(posted).toEqual(['notifications/initialized', 'resources/subscribe', 'tools/list'])
    expect(relay.messages.filter(({ id }) => id === 'hello')).toHaveLength(1)
  })
})

describe('when the hub restarts', () => {
  let hub: RestartableHub
  beforeAll(async () => void (hub = await startRestartableHub()))
  afterEach(() => hub.ensureRunning())
  afterAll(() => hub[Symbol.asyncDispose]())

  function relayTo(): RelayProcess {
    return startRelay(['--url', `${hub.endpoint.url}?toolsets=all`], { SIGNALBOX_TOKEN: hub.endpoint.token })
  }

  async function untilRunning(label: string): Promise<void> {
    await expect.poll(() => hub.call('test_calls'), slowly).toMatchObject({ running: [label] })
  }

  test('the relay repeats arguments in headers for a tool that needs them', async () => {
    await using relay = relayTo()
    relay.send(modern(1, 'tools/call', { name: 'test_x_mcp_header', arguments: { region: 'Süd' } }))
    expect(await relay.answer(1)).toMatchObject({ result: { content: [{ text: 'Region: Süd' }] } })
  })

  test('a legacy call whose stream breaks is resumed, and nothing comes twice', async () => {
    await using relay = relayTo()
    relay.send(hello, initialized)
    await relay.answer('hello')
    relay.send({ jsonrpc: '2.0', id: 1, ...callOf('test_guided', { label: 'cut' }, { progressToken: 'p' }) })
    await untilRunning('cut')
    const steps = () =>
      relay.messages
        .filter(({ method }) => method === 'notifications/progress')
        .map(({ params }) => (params as { progress: number }).progress)
    await hub.call('test_step', { label: 'cut' })
    await expect.poll(steps, slowly).toEqual([1])
    hub.proxy.cut()
    await hub.call('test_step', { label: 'cut' })
    await expect.poll(steps, slowly).toEqual([1, 2])
    hub.proxy.cut()
    await hub.call('test_finish', { label: 'cut', words: 'still here' })
    expect(await relay.answer(1)).toMatchObject({ result: { structuredContent: { words: 'still here' } } })
    expect(steps()).toEqual([1, 2])
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s of the hub, the same connection continues with its notices',
    async (signal) => {
      const uris = ['a', 'b', 'c'].map((name) => `test://counter/${name}`)
      await using relay = relayTo()
      relay.send(hello, initialized)
      uris.forEach((uri, id) => relay.send({ jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri } }))
      for (const id of uris.keys()) await relay.answer(id)
      await hub.call('test_change', { uris: uris.slice(0, 1) })
      await expect.poll(() => updatesIn(relay), slowly).toEqual(uris.slice(0, 1))

      await hub.end(signal)
      await hub.startAgain()
      await hub.call('test_change', { uris: uris.slice(1, 2) })
      await expect.poll(() => updatesIn(relay), slowly).toEqual(uris.slice(0, 2))
      relay.send({ jsonrpc: '2.0', id: 'after', ...callOf('hub_status') })
      expect(await relay.answer('after')).toHaveProperty('result')
    },
  )

  test('a call that ran when the hub was killed gets an answer, and the next one works', async () => {
    await using relay = relayTo()
    relay.send(hello, initialized)
    await relay.answer('hello')
    relay.send({ jsonrpc: '2.0', id: 'l', ...callOf('test_guided', { label: 'l' }) })
    relay.send(modern('m', 'tools/call', { name: 'test_guided', arguments: { label: 'm' } }))
    relay.send(modern('s', 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://counter/a'] } }))
    await expect.poll(() => hub.call('test_calls'), slowly).toMatchObject({ running: { length: 2 } })
    await expect.poll(() => JSON.stringify(relay.messages), slowly).toContain('subscriptions/acknowledged')

    await hub.end('SIGKILL')
    await hub.startAgain()
    for (const id of ['l', 'm']) {
      expect(await relay.answer(id)).toMatchObject({ error: { message: expect.stringMatching(/outcome is unknown/) } })
    }
    expect(await relay.answer('s')).toMatchObject({ error: { message: expect.stringMatching(/Listen again/) } })
    relay.send({ jsonrpc: '2.0', id: 'after', ...callOf('hub_status') }, modern('too', 'tools/list'))
    expect(await relay.answer('after')).toHaveProperty('result')
    expect(await relay.answer('too')).toHaveProperty('result')
  })

  test('the client and the shell both learn that the token is not accepted', async () => {
    await using relay = startRelay(['--url', hub.endpoint.url], { SIGNALBOX_TOKEN: 'sb_wrong' })
    relay.send(hello)
    const { code, stderr } = await relay.exit
    expect(relay.messages).toMatchObject([
      { id: 'hello', error: { message: expect.stringContaining('SIGNALBOX_TOKEN') } },
    ])
    expect(code).toBe(3)
    expect(stderr).toContain('SIGNALBOX_TOKEN')
    expect(stderr).not.toContain('sb_wrong')
  })
})

test('requests that are sent before the hub is up wait for it and run once', async () => {
  await using home = await createTempHome()
  const first = await startHubProcess({ home: home.path, program: fixtureHub })
  await first.end('SIGTERM')
  const url = `http://127.0.0.1:${first.port}`
  await using relay = startRelay(['--url', url], { SIGNALBOX_TOKEN: first.token })
  relay.send(modern('probe', 'server/discover'))
  relay.send(modern('call', 'tools/call', { name: 'test_change', arguments: { uris: ['test://counter/a'] } }))
  const env = { SIGNALBOX_PORT: String(first.port) }
  await using _hub = await startHubProcess({ home: home.path, program: fixtureHub, env })
  expect(await relay.answer('probe')).toHaveProperty('result')
  expect(await relay.answer('call')).toHaveProperty('result')
  relay.send(modern('read', 'resources/read', { uri: 'test://counter/a' }))
  expect(await relay.answer('read')).toMatchObject({ result: { contents: [{ text: '1' }] } })
})
