/** Clients that stop in the middle, never read, or ask for too much. They must not disturb other clients. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bystander, startBystander } from './bystander.ts'
import { begin } from './exchange.ts'
import { attachLegacy, connectLegacy, initialize, type LegacyConnection } from './legacy-connection.ts'
import { modern, modernStream, modernSpec } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { openSocket, postHead } from './raw-socket.ts'

const mebibyte = 1024 * 1024

let hub: OwnHub
let bystander: Bystander
beforeAll(async () => {
  hub = await startOwnHub({ env: { SIGNALBOX_MAX_CONNECTIONS_PER_TOKEN: '5', SIGNALBOX_MAX_CALLS_PER_TOKEN: '110' } })
  bystander = await startBystander(hub)
})
afterAll(async () => {
  await bystander.undisturbed()
  await bystander[Symbol.asyncDispose]()
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe('sockets', () => {
  test.each([
    ['send nothing', () => ''],
    ['send half a request line', () => 'POST /mc'],
    ['send half their headers', () => 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
    ['send half their body', () => `${postHead(hub.token, { 'Content-Length': '100' })}{"jsonrpc"`],
    ['send half a chunk', () => `${postHead(hub.token, { 'Transfer-Encoding': 'chunked' })}ff\r\n{"json`],
  ])('200 that %s and then close do not disturb other clients', async (_, text) => {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openSocket(hub.port)))
    await Promise.all(sockets.map((socket) => socket.write(text())))
    await bystander.undisturbed()
    for (const { socket } of sockets) socket.resetAndDestroy()
    await bystander.undisturbed()
  })

  test('a client that sends its body byte by byte is answered when the body is complete', async () => {
    const body = JSON.stringify(modernSpec('tools/list', {}).body)
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list', Connection: 'close' }
    using socket = await openSocket(hub.port)
    await socket.write(postHead(hub.token, { ...headers, 'Content-Length': String(body.length) }))
    for (const letter of body) await socket.write(letter)
    expect(await socket.closed).toMatch(/^HTTP\/1\.1 200.*hub_status/s)
  })

  test('a token that is revoked while the body arrives is refused with 401', async () => {
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    const spec = modernSpec('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const body = JSON.stringify(spec.body)
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen', Connection: 'close' }
    using socket = await openSocket(hub.port)
    await socket.write(
      postHead(String(token), { ...headers, 'Content-Length': String(body.length) }) + body.slice(0, 20),
    )
    await bystander.undisturbed()
    await hub.call('revoke_token', { id })
    await socket.write(body.slice(20))

    const answer = await socket.closed
    expect(answer).toMatch(/^HTTP\/1\.1 401/)
    expect(answer).toMatch(/www-authenticate: Bearer/i)
  })
})

describe('a request that is not valid HTTP', () => {
  test.each([
    ['garbage', '\x00\x01\x02\x03\r\n\r\n', /^HTTP\/1\.1 400/],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', /^HTTP\/1\.1 400/],
    [
      'two lengths',
      'POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a length and chunks',
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n${'X-Long: '.padEnd(100_000, 'x')}`,
      /^HTTP\/1\.1 431/,
    ],
  ])('is refused: %s', async (_, text, expected) => {
    using socket = await openSocket(hub.port)
    await socket.write(Buffer.from(text, 'latin1'))
    expect(await socket.closed).toMatch(expected)
    await bystander.undisturbed()
  })
})

describe('a client that does not read', () => {
  test('is disconnected from a stream that is too fast for it, and the memory of the hub does not grow', async () => {
    const flood = { name: 'test_flood', arguments: { bytes: 128 * mebibyte } }
    const before = await memory()
    for (let round = 0; round < 3; round++) {
      const response = await begin(hub, modernSpec('tools/call', flood, { meta: { progressToken: 1 } }))
      response.pause()
      await expect.poll(async () => (await hub.metric('signalbox_streams')) <= 1, patience).toBe(true)
      response.destroy()
    }
    expect(((await memory()) - before) / mebibyte).toBeLessThan(128)
    await bystander.undisturbed()
  })

  test('is disconnected from a legacy stream and can resume it', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const connection = await connectLegacy(hub, { token: String(token) })
    const params = { name: 'test_flood', arguments: { bytes: 24 * mebibyte }, _meta: { progressToken: 1 } }
    const response = await begin(hub, connection.spec({ jsonrpc: '2.0', id: 'flood', method: 'tools/call', params }))
    const first = await firstId(response)
    await expect.poll(async () => (await hub.metric('signalbox_streams')) <= 1, patience).toBe(true)
    response.destroy()

    const messages = await resumeUntilAnswered(connection, first)
    expect(messages).toHaveLength((24 * mebibyte) / (64 * 1024) + 1)
    expect(messages.at(-1)).toMatchObject({ id: 'flood', result: { structuredContent: { sent: 24 * mebibyte } } })
    await connection.end()
  })

  test('a client that sends many requests on one socket is not answered faster than it reads', async () => {
    const large = { name: 'test_large', arguments: { bytes: 64 * 1024 } }
    const body = JSON.stringify(modernSpec('tools/call', large).body)
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'test_large' }
    const request = postHead(hub.token, { ...headers, 'Content-Length': String(body.length) }) + body
    const before = await memory()
    using socket = await openSocket(hub.port)
    socket.socket.pause()
    void socket.write(request.repeat(5_000))
    for (let round = 0; round < 50; round++) await bystander.undisturbed()
    // All answers together would be 640 MiB.
    expect(((await memory()) - before) / mebibyte).toBeLessThan(200)
  })
})

describe('the limit of a token', () => {
  test('refuses further connections of that token with 429 and says what to do', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const own = { token: String(token) }
    const answers = await Promise.all(Array.from({ length: 20 }, () => initialize(hub, own)))
    const opened = answers.flatMap(({ headers }) => headers['mcp-session-id'] ?? [])
    const refused = answers.filter(({ status }) => status === 429)

    expect([opened.length, refused.length]).toEqual([5, 15])
    expect(refused[0]?.body).toMatchObject({ id: 'hello', error: { message: expect.stringMatching(/5 .*DELETE/) } })
    expect((await initialize(hub)).status).toBe(200)
    await attachLegacy(hub, String(opened[0]), own).end()
    expect((await initialize(hub, own)).status).toBe(200)
    expect((await initialize(hub, own)).status).toBe(429)
  })

  test('refuses further listening streams with 429', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const params = { notifications: { toolsListChanged: true } }
    const open = () => modernStream(hub, 'subscriptions/listen', params, { token: String(token) })
    const streams = await Promise.all(Array.from({ length: 5 }, open))
    await Promise.all(streams.map((stream) => stream.message()))
    const refused = await modern(hub, 'subscriptions/listen', params, { token: String(token) })
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { id: 1, error: { message: expect.stringContaining('5') } },
    ])
    for (const stream of streams) stream.close()
    await expect.poll(async () => statusOf(await open()), patience).toBe(200)
  })
})

test('the limit of calls in flight counts all calls of a token, in both eras and on all connections', async () => {
  const { token } = await hub.call('issue_token', { role: 'human' })
  const own = { token: String(token) }
  const legacy = await connectLegacy(hub, own)
  const params = { name: 'test_deaf', arguments: {} }
  const meta = { progressToken: 1 }
  const running = await Promise.all([
    ...Array.from({ length: 55 }, () => modernStream(hub, 'tools/call', params, { ...own, meta })),
    ...Array.from({ length: 55 }, () => legacy.stream('tools/call', { ...params, _meta: meta })),
  ])
  const busy = { error: { code: -32005, message: expect.stringMatching(/110 calls in flight/) } }
  expect((await modern(hub, 'tools/list', {}, own)).body).toMatchObject(busy)
  expect(await legacy.request('tools/list')).toMatchObject(busy)
  await bystander.undisturbed()

  for (const stream of running.slice(0, 55)) stream.close()
  await expect.poll(async () => (await modern(hub, 'tools/list', {}, own)).body, patience).toHaveProperty('result')
  for (const stream of running) stream.close()
})

test('a hundred clients that disconnect during a call leave no open streams', async () => {
  const spec = modernSpec('tools/call', { name: 'test_deaf', arguments: {} }, { meta: { progressToken: 1 } })
  const responses = await Promise.all(Array.from({ length: 100 }, () => begin(hub, spec)))
  for (const response of responses) response.destroy()
  await expect.poll(() => hub.metric('signalbox_streams'), patience).toBe(1)
  await bystander.undisturbed()
})

function memory(): Promise<number> {
  return hub.metric('process_resident_memory_bytes')
}

function statusOf(stream: { status: number; close(): void }): number {
  stream.close()
  return stream.status
}

/** The tool may still be sending. A client that cannot keep up is disconnected again, and resumes again. */
async function resumeUntilAnswered(connection: LegacyConnection, firstEventId: string): Promise<readonly unknown[]> {
  const messages: unknown[] = []
  let lastId = firstEventId
  do {
    using stream = await connection.listen(lastId)
    await stream.ended
    messages.push(...stream.messages)
    lastId = stream.lastId ?? lastId
  } while (!isAnswer(messages.at(-1)))
  return messages
}

function isAnswer(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'result' in message
}

/** Reads up to the first event id, and no further. */
async function firstId(response: IncomingMessage): Promise<string> {
  await once(response, 'readable')
  const text = String(response.read())
  const id = /^id: (\S+)$/m.exec(text)?.[1]
  if (id === undefined) throw new Error(`No event id in ${text.slice(0, 200)}`)
  return id
}
