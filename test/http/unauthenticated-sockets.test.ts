/** Sockets without a token: their number is limited, and they never block sockets with a token. */
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exchange } from './exchange.ts'
import { modern, modernStream, modernSpec } from './modern-request.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { scriptOf } from './page-script.ts'
import { openSocket, postHead, type RawSocket } from './raw-socket.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub()))
afterAll(() => hub[Symbol.asyncDispose]())

const openFiles = () => readdirSync(`/proc/${hub.process.pid}/fd`).length
const callTool = () => modern(hub, 'tools/call', { name: 'hub_status', arguments: {} })

async function openSilent(count: number, from?: string): Promise<readonly RawSocket[] & Disposable> {
  const sockets: RawSocket[] = []
  for (let index = 0; index < count; index++) sockets.push(await openSocket(hub.port, from))
  return Object.assign(sockets, {
    [Symbol.dispose]() {
      for (const { socket } of sockets) socket.destroy()
    },
  })
}

const stillOpen = (sockets: readonly RawSocket[]) => sockets.filter(({ socket }) => !socket.closed).length

test('1,024 silent sockets use at most 64 file descriptors, and do not block tokens or the page', async () => {
  using listener = await modernStream(hub, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const before = openFiles()
  using silent = await openSilent(1024)
  // A crowd is accepted in one turn of the loop, and what is over the limit is closed in the next.
  await expect.poll(openFiles, patience).toBeLessThanOrEqual(before + 512 + 10)
  // From the same address, while the limit is reached.
  expect((await callTool()).status).toBe(200)
  const page = await exchange(hub, { method: 'GET', path: '/', token: null })
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { status, text } = await exchange(hub, { method: 'GET', path: scriptOf(page.text), token: null })
      expect([status, text.length > 100_000]).toEqual([200, true])
    }),
  )

  await expect.poll(() => stillOpen(silent), patience).toBeLessThanOrEqual(64)
  expect(openFiles()).toBeLessThanOrEqual(before + 64 + 10)
  expect(listener.messages).toHaveLength(1)
  await hub.call('issue_token', { role: 'human' })
})

test('all addresses share a limit of 256 silent sockets', async () => {
  const crowds = await Promise.all([2, 3, 4, 5, 6].map((last) => openSilent(64, `127.0.0.${last}`)))
  await expect.poll(() => stillOpen(crowds.flat()), patience).toBeLessThanOrEqual(256)
  expect((await callTool()).status).toBe(200)
  for (const crowd of crowds) crowd[Symbol.dispose]()
})

test('sockets that showed a token do not count', async () => {
  const subscribe = { notifications: { toolsListChanged: true } }
  const listeners = []
  for (let count = 0; count < 200; count++) listeners.push(await modernStream(hub, 'subscriptions/listen', subscribe))
  using silent = await openSilent(200)
  await expect.poll(() => stillOpen(silent), patience).toBeLessThanOrEqual(64)
  expect(await hub.metric('signalbox_streams')).toBe(200)
  for (const listener of listeners) listener.close()
})

test('400 clients with a token that connect at the same moment are all served', async () => {
  // They connect to a stopped process, so all of them wait in the queue of its socket.
  process.kill(hub.process.pid!, 'SIGSTOP')
  const clients = await Promise.all(Array.from({ length: 400 }, () => openSocket(hub.port)))
  await Promise.all(clients.map((client) => client.write(request())))
  process.kill(hub.process.pid!, 'SIGCONT')
  for (const { closed } of clients) expect(await closed).toMatch(/^HTTP\/1\.1 200/)
})

test('400 clients that all connect before the first request are all served', async () => {
  // A silent socket is closed after 10 s. On a busy machine a round may take longer, and then proves nothing.
  for (let tookMs = Infinity; tookMs > 8_000;) {
    const startedAt = Date.now()
    const clients = await Promise.all(
      Array.from({ length: 400 }, (_, index) => openSocket(hub.port, `127.0.1.${index % 8}`)),
    )
    // When the hub continues, all requests have arrived and the time limit of the crowd has passed.
    process.kill(hub.process.pid!, 'SIGSTOP')
    await Promise.all(clients.map((client) => client.write(request())))
    await sleep(600)
    tookMs = Date.now() - startedAt
    process.kill(hub.process.pid!, 'SIGCONT')
    const answers = await Promise.all(clients.map(({ closed }) => closed))
    if (tookMs <= 8_000) for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200/)
  }
})

/** A request of a client that disconnects after the answer. */
function request(): string {
  const { body, headers = {} } = modernSpec('tools/list', {})
  const text = JSON.stringify(body)
  const wanted = { ...(headers as Record<string, string>), Connection: 'close', 'Content-Length': String(text.length) }
  return postHead(hub.token, wanted) + text
}

test('a valid token is accepted while other clients keep opening sockets without one', async () => {
  let isOver = false
  const attack = Array.from({ length: 8 }, async () => {
    const sockets: RawSocket[] = []
    while (!isOver) sockets.push(await openSocket(hub.port))
    for (const { socket } of sockets) socket.destroy()
  })
  for (let count = 0; count < 100; count++) expect((await callTool()).status).toBe(200)
  isOver = true
  await Promise.all(attack)
})
