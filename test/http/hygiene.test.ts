/** The routes beside `/mcp`, and the answers of a hub that is not ready yet. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../fixtures/ports.ts'
import { shippedHub, startHubProcess } from '../worlds/hub-process.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { exchange } from './exchange.ts'
import { connectLegacy } from './legacy-connection.ts'
import { modern, modernStream } from './modern-request.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

const get = (path: string) => exchange(hub, { method: 'GET', path, token: null })

let hub: OwnHub
beforeAll(async () => void (hub = await startOwnHub({ program: shippedHub })))
afterAll(() => hub[Symbol.asyncDispose]())

describe('without a token', () => {
  test('/healthz answers that the hub is alive, and /readyz that it is ready', async () => {
    const [healthy, ready] = [await get('/healthz'), await get('/readyz')]
    expect([healthy.status, healthy.body]).toEqual([200, { ok: true }])
    expect([ready.status, ready.body]).toMatchObject([200, { ready: true }])
  })

  test('/metrics is valid Prometheus text, even after requests for hostile paths', async () => {
    for (const path of ['/evil"}', '/%0aevil%201', '/x'.repeat(1_000)]) await get(path)
    const { status, headers, text } = await get('/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    const lines = text.split('\n').filter((line) => line !== '')
    const sample = /^[a-z_]+(\{[a-z_]+="[^"\\]*"(,[a-z_]+="[^"\\]*")*\})? [-+0-9.e]+$/
    for (const line of lines) expect(line).toMatch(/^# (HELP|TYPE) [a-z_]+ ./.test(line) ? /./ : sample)
    const names = [
      'signalbox_connections',
      'signalbox_streams',
      'signalbox_http_requests_total',
      'process_resident_memory_bytes',
    ]
    for (const name of names) {
      expect(lines.some((line) => line.startsWith(`# TYPE ${name} `))).toBe(true)
      expect(lines.some((line) => line.startsWith(name))).toBe(true)
    }
    expect(text).not.toContain('evil')
  })

  test('the page has a content security policy that allows nothing from other sites', async () => {
    const { status, headers } = await get('/')
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/html/)
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  })

  test.each([
    '/nowhere',
    '/mcpx',
    '/mcp/x',
    '//mcp',
    '/MCP',
    '/login.js/',
    '/../package.json',
    '/%2e%2e/package.json',
    '/style.css%00',
    '/constructor',
    '/__proto__',
    '/.env',
    '/token',
    '*',
  ])('%s is answered with 404 and the path of the endpoint', async (path) => {
    const { status, text } = await get(path)
    expect(status).toBe(404)
    expect(text).toContain('/mcp')
  })
})

test('the gauges count the open connections and streams', async () => {
  const connection = await connectLegacy(hub)
  using notices = await connection.listen()
  using listener = await modernStream(hub, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await listener.message()
  expect([await hub.metric('signalbox_connections'), await hub.metric('signalbox_streams')]).toEqual([1, 2])
  notices.close()
  listener.close()
  await connection.end()
  await expect.poll(() => hub.metric('signalbox_connections'), patience).toBe(0)
  await expect.poll(() => hub.metric('signalbox_streams'), patience).toBe(0)
})

test('a starting hub listens already, reports it on /readyz, and answers other requests with 503', async () => {
  await using home = await createTempHome()
  await using database = await startSilentServer()
  const port = await freePort()
  const env = { SIGNALBOX_PORT: String(port), DATABASE_URL: `postgres://nobody@127.0.0.1:${database.port}/none` }
  const starting = expect(startHubProcess({ home: home.path, env })).rejects.toThrow('before it was ready')
  const late = { port, token: hub.token }
  const readiness = () => exchange(late, { method: 'GET', path: '/readyz' }).catch(() => undefined)

  await expect.poll(readiness, patience).toMatchObject({ status: 503, body: { ready: false, hub: 'starting' } })
  const { status, headers, body } = await modern(late, 'tools/list')
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(body).toMatchObject({ error: { message: expect.stringContaining('starting') } })
  expect((await exchange(late, { method: 'GET', path: '/healthz' })).status).toBe(200)
  database.hangUp()
  await starting
})

/** A database that accepts connections and never answers. */
async function startSilentServer(): Promise<AsyncDisposable & { port: number; hangUp(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port: (server.address() as AddressInfo).port, hangUp, [Symbol.asyncDispose]: async () => hangUp() }
}
