/**
 * Behaviour that takes seconds: keep-alives, and timeouts of clients that never finish. The tests run at the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { begin, exchange } from './exchange.ts'
import { connectLegacy } from './legacy-connection.ts'
import { modernStream, modernSpec } from './modern-request.ts'
import { faultsIn, type OwnHub, startOwnHub } from '../worlds/own-hub.ts'
import { openSocket, postHead } from './raw-socket.ts'
import { openSsePair } from './sse-pair.ts'

const mebibyte = 1024 * 1024
const keepAliveMs = 15_000

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

describe.concurrent('after a while', (test) => {
  test('every quiet stream gets keep-alive comments', async () => {
    using notices = await (await connectLegacy(hub)).listen()
    using listener = await modernStream(hub, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    using pair = await openSsePair(hub)
    using call = await modernStream(
      hub,
      'tools/call',
      { name: 'test_deaf', arguments: {} },
      { meta: { progressToken: 1 } },
    )
    const quiet = [notices, listener, pair.stream, call]

    const counts = () => quiet.map(({ comments }) => comments.length)
    await expect.poll(counts, { timeout: 4 * keepAliveMs }).toEqual([1, 1, 1, 1])
  })

  test('a slow call becomes a stream in either era, so that no proxy gives it up', async () => {
    const connection = await connectLegacy(hub)
    const params = { name: 'test_deaf', arguments: {} }
    using legacy = await connection.stream('tools/call', params)
    using modern = await modernStream(hub, 'tools/call', params)
    expect([legacy, modern].map(({ headers }) => headers['content-type'])).toEqual([
      'text/event-stream',
      'text/event-stream',
    ])
  })

  test('the hub does not write keep-alives to an ended stream whose client does not read', async () => {
    // The size of the system's buffers differs, so some of these streams end with unsent bytes.
    const sizes = Array.from({ length: 16 }, (_, index) => (index + 1) * mebibyte)
    const floods = sizes.map((bytes) =>
      modernSpec('tools/call', { name: 'test_flood', arguments: { bytes } }, { meta: { progressToken: 1 } }),
    )
    const responses = await Promise.all(floods.map((spec) => begin(hub, spec)))
    for (const response of responses) response.on('error', () => {}).pause()
    await sleep(keepAliveMs + 1_000)

    expect((await exchange(hub, { method: 'GET', path: '/healthz' })).status).toBe(200)
    for (const response of responses) response.destroy()
  })

  // Node's own defaults would take 30 s and 90 s. The rest is slack for a busy machine.
  test.each([
    ['headers', () => 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n', 'X: y\r\n', 22_000],
    ['body', () => postHead(hub.token, { 'Content-Length': '1000' }), 'x', 80_000],
  ])('a client that never ends its %s gets 408', async (_, head, more, maxMs) => {
    const startedAt = performance.now()
    using socket = await openSocket(hub.port)
    await socket.write(head())
    const trickle = setInterval(() => void socket.write(more), 1_000)
    const answer = await socket.closed
    clearInterval(trickle)
    expect(answer).toMatch(/^HTTP\/1\.1 408/)
    expect(performance.now() - startedAt).toBeLessThan(maxMs)
  })

  test.each([
    ['sends nothing', ''],
    ['was answered once', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    ['shows no token and never ends its body', 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n'],
  ])('a socket without a token that %s is closed after 10 s', async (_, text) => {
    const startedAt = performance.now()
    using socket = await openSocket(hub.port)
    if (text !== '') await socket.write(text)
    await socket.closed
    expect(performance.now() - startedAt).toBeLessThan(22_000)
  })
})
