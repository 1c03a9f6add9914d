import type { LookupAddress } from 'node:dns'
import { expect, test } from 'vitest'
import { serveHttp } from '../../test/worlds/http-upstream.ts'
import type { Zone } from '../base/address-zone.ts'
import { createOAuthFetch } from './oauth-fetch.ts'

const limits = { bytes: 10_000, ms: 10_000 }

/**
 * A fetch for the login of an upstream at this address. Each lookup of a name takes the next address from the table.
 */
function fetching(upstream: string, zone: Zone, names: Readonly<Record<string, string[]>> = {}, within = limits) {
  return createOAuthFetch({
    upstream,
    zone,
    limits: within,
    signal: new AbortController().signal,
    lookup(host, _, done) {
      const address = names[host]?.shift()
      if (address === undefined) return done(Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' }), [])
      const found: LookupAddress[] = [{ address, family: address.includes(':') ? 6 : 4 }]
      done(null, found)
    },
  })
}

test('requests and their bodies arrive, and the answer comes back', async () => {
  const server = await serveHttp(({ method, headers, form, response }) =>
    response.writeHead(201, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        method,
        type: headers['content-type'],
        code: form.get('code'),
        version: headers['x-version'],
      }),
    ),
  )
  const fetch = fetching(server.url, 'machine')
  const answer = await fetch(server.url, {
    method: 'POST',
    headers: { 'x-version': '1' },
    body: new URLSearchParams({ code: 'c' }),
  })
  expect(answer.status).toBe(201)
  expect(await answer.json()).toMatchObject({ method: 'POST', code: 'c', version: '1' })
  expect(answer.headers.get('content-type')).toBe('application/json')
})

test('an endless answer is cut off', async () => {
  let isCut = false
  const server = await serveHttp(({ response }) => {
    response.on('close', () => (isCut = true))
    const more = () => response.write('x'.repeat(1_000)) && setImmediate(more)
    response.on('drain', more)
    more()
  })
  await expect(fetching(server.url, 'machine')(server.url)).rejects.toThrow('more than 10000 bytes')
  await expect.poll(() => isCut).toBe(true)
})

test('an answer with a long text, which the hub may have to send back, is refused', async () => {
  const body = JSON.stringify({ keys: [{ access_token: 'x'.repeat(70_000) }] })
  const server = await serveHttp(({ response }) => response.end(body))
  const outcome = fetching(server.url, 'machine', {}, { bytes: 100_000, ms: 10_000 })(server.url)
  await expect(outcome).rejects.toThrow(
    '"access_token" in an answer to a login must be a text of at most 65536 characters',
  )
})

test('a long address is not opened', async () => {
  const server = await serveHttp(({ response }) => response.end())
  const outcome = fetching(server.url, 'machine')(`${server.url}?${'x'.repeat(10_000)}`)
  await expect(outcome).rejects.toThrow('An address of a login must be a text of at most 8192 characters')
  expect(server.visits).toEqual([])
})

test('an answer that never ends is given up, however slowly it arrives', async () => {
  const server = await serveHttp(({ response }) => {
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const fetch = fetching(server.url, 'machine', {}, { bytes: 10_000, ms: 200 })
  await expect(fetch(server.url)).rejects.toThrow('did not answer within 0.2 seconds')
})

test('a redirect is returned, not followed', async () => {
  const other = await serveHttp(({ response }) => response.end())
  const server = await serveHttp(({ response }) => response.writeHead(302, { location: other.url }).end())
  const answer = await fetching(server.url, 'machine')(server.url)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, other.url])
  expect(other.visits).toEqual([])
})

test('an upstream on the internet cannot send the hub to private addresses, by number or by name', async () => {
  const victim = await serveHttp(({ response }) => response.end())
  const { port } = new URL(victim.url)
  const names = { 'evil.test': ['127.0.0.1'], 'ula.test': ['::ffff:127.0.0.1'] }
  const fetch = fetching('https://upstream.test/mcp', 'internet', names)
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0', 'evil.test', 'ula.test']) {
    await expect(fetch(`http://${host}:${port}/token`, { method: 'POST', body: 'x' })).rejects.toThrow(
      'is more private',
    )
  }
  for (const host of ['169.254.169.254', '10.0.0.1', '192.168.0.1', '100.64.0.1', '[fd00::1]', '[fe80::1]']) {
    await expect(fetch(`http://${host}/`)).rejects.toThrow('is more private')
  }
  expect(victim.visits).toEqual([])
})

test('an upstream in a private network cannot send the hub to this machine or to a metadata service', async () => {
  const victim = await serveHttp(({ response }) => response.end())
  const fetch = fetching('http://10.0.0.7/mcp', 'network')
  await expect(fetch(victim.url)).rejects.toThrow('is more private')
  await expect(fetch('http://169.254.169.254/')).rejects.toThrow('is more private')
  expect(victim.visits).toEqual([])
})

test('an upstream on this machine may name other servers here, by number or by name', async () => {
  const other = await serveHttp(({ response }) => response.end('fine'))
  const { port } = new URL(other.url)
  const fetch = fetching('http://127.0.0.1:1/mcp', 'machine', { 'sso.test': ['127.0.0.1'] })
  expect(await (await fetch(other.url)).text()).toBe('fine')
  expect(await (await fetch(`http://sso.test:${port}/`)).text()).toBe('fine')
})

test('the connected address is checked, not the one that the name had before', async () => {
  const server = await serveHttp(({ response }) => response.end('fine'))
  const { port } = new URL(server.url)
  const names = { 'rebound.test': ['127.0.0.1', '8.8.8.8'], 'public.test': ['127.0.0.1'] }
  const asMachine = fetching(`http://rebound.test:${port}/mcp`, 'machine', names)
  expect(await (await asMachine(`http://rebound.test:${port}/`)).text()).toBe('fine')
  // A server at a public address would now speak for an upstream that may name private addresses.
  await expect(asMachine(`http://rebound.test:${port}/`)).rejects.toThrow('another kind of address')
  const asInternet = fetching(`http://public.test:${port}/mcp`, 'internet', names)
  await expect(asInternet(`http://public.test:${port}/`)).rejects.toThrow('another kind of address')
  expect(server.visits).toHaveLength(1)
})

test('refuses every protocol but HTTP', async () => {
  const fetch = fetching('http://127.0.0.1/mcp', 'machine')
  await expect(fetch('file:///etc/passwd')).rejects.toThrow('http:// and https:// only')
  await expect(fetch('data:text/plain,x')).rejects.toThrow('http:// and https:// only')
})
