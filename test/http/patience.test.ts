/** What only shows when one waits: keep-alives, and the end of clients that never finish. All at the same time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { begin, exchange } from './exchange.ts'
import { connectLegacy } from './legacy-connection.ts'
import { modernStream, modernWish } from './modern-request.ts'
import { faultsIn, type OwnHub, startOwnHub } from './own-hub.ts'
import { openSocket } from './raw-socket.ts'
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

describe.concurrent('in the long run', { timeout: 90_000 }, (test) => {
  test('every quiet stream carries a comment now and then', async () => {
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

  test('a call that takes long becomes a stream in either era, so that nobody in between gives it up', async () => {
    const connection = await connectLegacy(hub)
    const params = { name: 'test_deaf', arguments: {} }
    using legacy = await connection.stream('tools/call', params)
    using modern = await modernStream(hub, 'tools/call', params)
    expect([legacy, modern].map(({ headers }) => headers['content-type'])).toEqual([
      'text/event-stream',
      'text/event-stream',
    ])
  })

  test('a stream that has ended, and whose reader reads no more, is left in peace', async () => {
    // How much the system takes of an unread stream differs, so that some of these end with bytes still to send.
    const sizes = Array.from({ length: 16 }, (_, index) => (index + 1) * mebibyte)
    const floods = sizes.map((bytes) =>
      modernWish('tools/call', { name: 'test_flood', arguments: { bytes } }, { meta: { progressToken: 1 } }),
    )
    const responses = await Promise.all(floods.map((wish) => begin(hub, wish)))
    for (const response of responses) response.on('error', () => {}).pause()
    await sleep(keepAliveMs + 1_000)

    expect((await exchange(hub, { method: 'GET', path: '/healthz' })).status).toBe(200)
    for (const response of responses) response.destroy()
  })

  test('a client that never ends its headers is told that its time is over', async () => {
    using socket = await openSocket(hub.port)
    await socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n')
    const trickle = setInterval(() => void socket.write('X: y\r\n'), 1_000)
    const answer = await socket.closed
    clearInterval(trickle)
    expect(answer).toMatch(/^HTTP\/1\.1 408/)
  })
})
