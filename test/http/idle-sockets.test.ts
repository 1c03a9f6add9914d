/** Sockets that showed a token and then stay open without a request. */
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { modern, modernStream, modernSpec } from './modern-request.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'
import { openSocket, postHead, type RawSocket } from './raw-socket.ts'

const openFiles = (hub: OwnHub) => readdirSync(`/proc/${hub.process.pid}/fd`).length
const stillOpen = (sockets: readonly RawSocket[]) => sockets.filter(({ socket }) => !socket.closed).length

/** Sockets that were answered once and stay open. */
async function openIdle(hub: OwnHub, count: number): Promise<readonly RawSocket[] & Disposable> {
  const { body, headers = {} } = modernSpec('tools/list', {})
  const text = JSON.stringify(body)
  const wanted = { ...(headers as Record<string, string>), 'Content-Length': String(text.length) }
  const sockets: RawSocket[] = []
  for (let index = 0; index < count; index++) {
    const client = await openSocket(hub.port)
    sockets.push(client)
    await client.write(postHead(hub.token, wanted) + text)
    await expect.poll(() => client.socket.closed || client.received.includes('200 OK'), patience).toBe(true)
  }
  return Object.assign(sockets, {
    [Symbol.dispose]() {
      for (const { socket } of sockets) socket.destroy()
    },
  })
}

test('the oldest idle sockets of a token are closed, but not its streams', async () => {
  await using hub = await startOwnHub({ env: { SIGNALBOX_MAX_IDLE_CONNECTIONS_PER_TOKEN: '5' } })
  using listener = await modernStream(hub, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  using idle = await openIdle(hub, 20)
  await expect.poll(() => stillOpen(idle), patience).toBe(5)
  expect(stillOpen(idle.slice(-5))).toBe(5)
  expect(await hub.metric('signalbox_streams')).toBe(1)
  expect(listener.messages).toHaveLength(1)
})

test('idle sockets leave file descriptors for others, and a person can use the hub’s unix socket', async () => {
  await using hub = await startOwnHub({ maxOpenFiles: 400 })
  using idle = await openIdle(hub, 300)
  expect(openFiles(hub)).toBeLessThan(300)
  await expect.poll(() => stillOpen(idle), patience).toBeLessThanOrEqual(100)
  expect((await modern(hub, 'tools/call', { name: 'hub_status', arguments: {} })).status).toBe(200)
  // Even while the port accepts no more.
  const silent = await Promise.all(Array.from({ length: 300 }, () => openSocket(hub.port)))
  expect(await statusAt(join(hub.home, 'run/hub.sock'))).toBe(200)
  for (const { socket } of silent) socket.destroy()
})

function statusAt(socketPath: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/healthz', headers: { host: 'localhost' } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
