/** Clients that stop in the middle, never read, or want too much: their own affair. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bystander, startBystander } from './bystander.ts'
import { begin } from './exchange.ts'
import { attachLegacy, connectLegacy, initialize } from './legacy-connection.ts'
import { modern, modernStream, modernWish } from './modern-request.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from './own-hub.ts'
import { openSocket, postHead } from './raw-socket.ts'

const mebibyte = 1024 * 1024

let hub: OwnHub
let bystander: Bystander
beforeAll(async () => {
  hub = await startOwnHub({ env: { SIGNALBOX_MAX_CONNECTIONS_PER_TOKEN: '5' } })
  bystander = await startBystander(hub)
})
afterAll(async () => {
  await bystander.undisturbed()
  await bystander[Symbol.asyncDispose]()
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe('sockets that stop in the middle', () => {
  test.each([
    ['say nothing', () => ''],
    ['send half a request line', () => 'POST /mc'],
    ['send half their headers', () => 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
    ['send half their body', () => `${postHead(hub.token, { 'Content-Length': '100' })}{"jsonrpc"`],
    ['send half a chunk', () => `${postHead(hub.token, { 'Transfer-Encoding': 'chunked' })}ff\r\n{"json`],
  ])('200 that %s harm nobody, and neither does their sudden end', async (_, text) => {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openSocket(hub.port)))
    await Promise.all(sockets.map((socket) => socket.write(text())))
    await bystander.undisturbed()
    for (const { socket } of sockets) socket.resetAndDestroy()
    await bystander.undisturbed()
  })

  test('a client that trickles its body byte by byte is answered when it is done', async () => {
    const body = JSON.stringify(modernWish('tools/list', {}).body)
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list', Connection: 'close' }
    using socket = await openSocket(hub.port)
    await socket.write(postHead(hub.token, { ...headers, 'Content-Length': String(body.length) }))
    for (const letter of body) await socket.write(letter)
    expect(await socket.closed).toMatch(/^HTTP\/1\.1 200.*hub_status/s)
  })

  test('a token that is revoked while the body is on its way is worth nothing when it has come', async () => {
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    const wish = modernWish('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const body = JSON.stringify(wish.body)
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

describe('requests that are no HTTP', () => {
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
  ])('%s', async (_, text, expected) => {
    using socket = await openSocket(hub.port)
    await socket.write(Buffer.from(text, 'latin1'))
    expect(await socket.closed).toMatch(expected)
    await bystander.undisturbed()
  })
})

describe('who does not read', () => {
  test('is cut off from a stream that outruns it, and the hub grows no larger', async () => {
    const flood = { name: 'test_flood', arguments: { bytes: 128 * mebibyte } }
    const before = await memory()
    for (let round = 0; round < 3; round++) {
      const response = await begin(hub, modernWish('tools/call', flood, { meta: { progressToken: 1 } }))
      response.pause()
      await expect.poll(async () => (await hub.metric('signalbox_streams')) <= 1, patience).toBe(true)
      response.destroy()
    }
    expect(((await memory()) - before) / mebibyte).toBeLessThan(128)
    await bystander.undisturbed()
  })

  test('is cut off from the stream of an old revision, and can take it up again where it was', async () => {
    const { token } = await hub.call('issue_token', { role: 'human' })
    const connection = await connectLegacy(hub, { token: String(token) })
    const params = { name: 'test_flood', arguments: { bytes: 24 * mebibyte }, _meta: { progressToken: 1 } }
    const response = await begin(hub, connection.wish({ jsonrpc: '2.0', id: 'flood', method: 'tools/call', params }))
    const first = await firstId(response)
    await expect.poll(async () => (await hub.metric('signalbox_streams')) <= 1, patience).toBe(true)
    response.destroy()

    using rest = await connection.listen(first)
    let count = 0
    let message: unknown
    do {
      message = await rest.message()
      count++
    } while (!('result' in (message as object)))
    expect(count).toBe((24 * mebibyte) / (64 * 1024) + 1)
    expect(message).toMatchObject({ id: 'flood', result: { structuredContent: { sent: 24 * mebibyte } } })
    await connection.end()
  })

  test('and asks again and again on one connection is not answered ahead', async () => {
    const large = { name: 'test_large', arguments: { bytes: 64 * 1024 } }
    const body = JSON.stringify(modernWish('tools/call', large).body)
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

describe('a token has at most so many connections', () => {
  test('then 429, with the way out, for that token alone', async () => {
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

  test('the same for streams that listen', async () => {
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

test('a hundred clients that leave in the middle of a call leave nothing behind', async () => {
  const wish = modernWish('tools/call', { name: 'test_deaf', arguments: {} }, { meta: { progressToken: 1 } })
  const responses = await Promise.all(Array.from({ length: 100 }, () => begin(hub, wish)))
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

/** Reads until it has the id of an event, and then no further. */
async function firstId(response: IncomingMessage): Promise<string> {
  await once(response, 'readable')
  const text = String(response.read())
  const id = /^id: (\S+)$/m.exec(text)?.[1]
  if (id === undefined) throw new Error(`There is no id in ${text.slice(0, 200)}`)
  return id
}
