/** Protection against DNS rebinding and other sites: Host and Origin on every route, and CORS. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shippedHub } from '../worlds/hub-process.ts'
import { exchange } from './exchange.ts'
import { initialize } from './legacy-connection.ts'
import { type OwnHub, startOwnHub } from '../worlds/own-hub.ts'
import { openSocket } from './raw-socket.ts'

let hub: OwnHub
beforeAll(async () => {
  const env = { SIGNALBOX_ALLOWED_HOSTS: 'hub.example', SIGNALBOX_ALLOWED_ORIGINS: 'https://page.example' }
  hub = await startOwnHub({ program: shippedHub, env })
})
afterAll(() => hub[Symbol.asyncDispose]())

const routes = ['/', '/login.js', '/healthz', '/readyz', '/metrics', '/mcp', '/mcp/', '/sse', '/messages', '/nowhere']
const methods = ['GET', 'POST', 'DELETE', 'OPTIONS']

describe('a request from a foreign name is refused with 403, even with a valid token', () => {
  test.each(['host', 'origin'])('on every route, with the name in %s', async (header) => {
    for (const path of routes) {
      for (const method of methods) {
        const value = header === 'host' ? 'evil.example' : 'http://evil.example'
        const { status, headers } = await exchange(hub, { method, path, headers: { [header]: value } })
        expect([method, path, status]).toEqual([method, path, 403])
        expect(headers).not.toHaveProperty('access-control-allow-origin')
      }
    }
  })

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example:80',
    'localhost@evil.example',
    'evil.example#localhost',
    'localhost:80:80',
    '[::1',
    '0.0.0.0',
    '192.168.1.1',
    'hub.example.evil.example',
    '127.0.0.1, evil.example',
    '%6cocalhost',
  ])('with Host "%s"', async (host) => {
    expect((await exchange(hub, { method: 'GET', path: '/healthz', headers: { host } })).status).toBe(403)
  })

  test.each([
    'null',
    'file://',
    'http://evil.example',
    'https://localhost.evil.example',
    'http://localhost@evil.example',
    'http://evil.example/localhost',
    'chrome-extension://localhost',
    'http://page.example',
    'https://page.example.evil.example',
    'localhost',
    '*',
    '',
  ])('with Origin "%s"', async (origin) => {
    expect((await exchange(hub, { method: 'GET', path: '/healthz', headers: { origin } })).status).toBe(403)
  })

  test('without Host, or with an empty one', async () => {
    using empty = await openSocket(hub.port)
    await empty.write('GET /healthz HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n')
    expect(await empty.closed).toMatch(/^HTTP\/1\.1 403/)
    using old = await openSocket(hub.port)
    await old.write('GET /healthz HTTP/1.0\r\n\r\n')
    expect(await old.closed).toMatch(/^HTTP\/1\.1 403/)
    using current = await openSocket(hub.port)
    await current.write('GET /healthz HTTP/1.1\r\n\r\n')
    expect(await current.closed).toMatch(/^HTTP\/1\.1 400/)
  })

  test('with two Hosts, or with an allowed address in the request line', async () => {
    using twice = await openSocket(hub.port)
    await twice.write('GET /healthz HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
    expect(await twice.closed).toMatch(/^HTTP\/1\.1 40[03]/)
    using absolute = await openSocket(hub.port)
    await absolute.write(`GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`)
    expect(await absolute.closed).toMatch(/^HTTP\/1\.1 403/)
  })
})

test.each(['localhost', 'LOCALHOST:7420', '127.0.0.1', '[::1]:9', 'hub.example', 'hub.example:443'])(
  'Host "%s" is accepted',
  async (host) => {
    expect((await exchange(hub, { method: 'GET', path: '/healthz', headers: { host } })).status).toBe(200)
  },
)

describe('a page on an allowed origin', () => {
  const origin = 'https://page.example'

  test('may send a preflight request with the headers of either era', async () => {
    const wanted =
      'authorization, content-type, mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name'
    const { status, headers } = await exchange(hub, {
      method: 'OPTIONS',
      token: null,
      headers: { origin, 'access-control-request-method': 'DELETE', 'access-control-request-headers': wanted },
    })
    expect(status).toBe(204)
    expect(headers['access-control-allow-origin']).toBe(origin)
    expect(namesIn(headers['access-control-allow-methods'])).toEqual(expect.arrayContaining(['get', 'post', 'delete']))
    const allowed = namesIn(headers['access-control-allow-headers'])
    // The star does not include this header.
    expect(allowed).toContain('authorization')
    for (const name of namesIn(wanted)) expect(allowed.includes('*') || allowed.includes(name)).toBe(true)
  })

  test.each(['http://localhost:6274', 'http://127.0.0.1:6274', 'http://[::1]:6274', origin])(
    'on %s can read the id of its connection and why it was refused',
    async (own) => {
      const opened = await exchange(hub, {
        headers: { origin: own },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {} },
        },
      })
      const refused = await exchange(hub, { method: 'GET', headers: { origin: own }, token: null })
      expect([opened.status, refused.status]).toEqual([200, 401])
      for (const { headers } of [opened, refused]) {
        expect(headers['access-control-allow-origin']).toBe(own)
        expect(namesIn(headers['access-control-expose-headers'])).toEqual(
          expect.arrayContaining(['mcp-session-id', 'www-authenticate']),
        )
        expect(namesIn(headers['vary'])).toContain('origin')
      }
    },
  )

  test('is never allowed to send credentials', async () => {
    const { headers } = await exchange(hub, { method: 'OPTIONS', headers: { origin } })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

test('a program that sends no Origin gets no CORS headers', async () => {
  const { headers } = await initialize(hub)
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
})

function namesIn(header: string | undefined): readonly string[] {
  return (header ?? '').split(',').map((name) => name.trim().toLowerCase())
}
