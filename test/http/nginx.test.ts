/** The hub behind a real nginx, at `/mcp` and `/mcp/`: nginx buffers and loses nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requires } from '../harness/requires.ts'
import type { Target } from './exchange.ts'
import { exchange } from './exchange.ts'
import { openStream } from './event-stream.ts'
import { modernSpec } from './modern-request.ts'
import { startNginx } from './nginx-process.ts'
import { type OwnHub, patience, startOwnHub } from '../worlds/own-hub.ts'

const nginx = requires('nginx')

nginx.describe.each(['/mcp', '/mcp/'])('behind nginx at %s', (path) => {
  const opened = new AsyncDisposableStack()
  let hub: OwnHub
  let proxy: Target
  beforeAll(async () => {
    hub = opened.use(await startOwnHub())
    const { port } = opened.use(await startNginx(nginx.path, { path, upstreamPort: hub.port }))
    proxy = { port, token: hub.token }
  })
  afterAll(() => opened.disposeAsync())

  const hello = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }

  async function connect(): Promise<Record<string, string>> {
    const { headers } = await exchange(proxy, { path, body: hello })
    return { 'mcp-session-id': String(headers['mcp-session-id']) }
  }

  test('POST is answered in either era, and 401 keeps its challenge', async () => {
    const own = await connect()
    const listed = await exchange(proxy, { path, headers: own, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
    expect([listed.status, listed.body]).toMatchObject([200, { id: 1, result: { tools: expect.any(Array) } }])
    const discovered = await exchange(proxy, { ...modernSpec('server/discover', {}), path })
    expect([discovered.status, discovered.body]).toMatchObject([200, { result: { resultType: 'complete' } }])
    const refused = await exchange(proxy, { path, body: hello, token: 'nobody' })
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)])
  })

  test('each step of a call arrives before the next step', async () => {
    const label = `step by step ${path}`
    const params = { name: 'test_guided', arguments: { label }, _meta: { progressToken: 1 } }
    const streaming = openStream(proxy, {
      path,
      headers: await connect(),
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    await hub.isRunning(label)
    for (const progress of [1, 2, 3]) {
      await hub.call('test_step', { label })
      expect(await (await streaming).message()).toMatchObject({ params: { progress } })
    }
    await hub.call('test_finish', { label, words: 'done' })
    using stream = await streaming
    expect(await stream.message()).toMatchObject({ id: 1, result: { structuredContent: { words: 'done' } } })
    expect(await stream.ended).toBe('ended')
  })

  test('notices arrive at once on the legacy and the modern stream, and both end when the client disconnects', async () => {
    const uri = `test://counter/${encodeURIComponent(path)}`
    const own = await connect()
    const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } }
    await exchange(proxy, { path, headers: own, body: subscribe })
    const listen = modernSpec('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
    using legacy = await openStream(proxy, { path, method: 'GET', headers: { ...own, accept: 'text/event-stream' } })
    using modern = await openStream(proxy, { ...listen, path })
    expect(await modern.message()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    for (let change = 0; change < 3; change++) {
      await hub.call('test_change', { uris: [uri] })
      expect(await legacy.message()).toMatchObject({ params: { uri } })
      expect(await modern.message()).toMatchObject({ params: { uri } })
    }
    legacy.close()
    modern.close()
    await expect.poll(async () => (await hub.call('hub_status'))['listeners'], patience).toBe(0)
  })

  test('a call is cancelled when its client disconnects', async () => {
    const label = `left ${path}`
    const leave = new AbortController()
    const call = modernSpec('tools/call', { name: 'test_guided', arguments: { label } }, { signal: leave.signal })
    const answer = exchange(proxy, { ...call, path })
    answer.catch(() => {})
    await hub.isRunning(label)
    leave.abort()
    await expect
      .poll(() => hub.call('test_calls'), patience)
      .toMatchObject({ cancelled: expect.arrayContaining([label]) })
  })

  test('DELETE ends the connection', async () => {
    const own = await connect()
    expect((await exchange(proxy, { path, method: 'DELETE', headers: own })).status).toBe(204)
    expect((await exchange(proxy, { path, method: 'DELETE', headers: own })).status).toBe(404)
  })
})
