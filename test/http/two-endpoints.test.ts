/** Two listeners in one process, each with an endpoint and a face of its own, over one store. */
import { z } from 'zod'
import { expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import type { Metrics } from '../../src/base/metrics.ts'
import type { Principal } from '../../src/base/principal.ts'
import { createRedactor } from '../../src/base/redact.ts'
import { createConnectionRecords } from '../../src/connections/connections.ts'
import { createEndpoint, createFace } from '../../src/endpoint/endpoint.ts'
import { createHttp } from '../../src/http/http.ts'
import { createNotices, defineTool } from '../../src/mcp/mcp.ts'
import type { Store } from '../../src/store/store.ts'
import { describeOnEachEngine } from '../harness/store-engines.ts'
import type { Target } from './exchange.ts'
import { exchange } from './exchange.ts'
import { attachLegacy, connectLegacy } from './legacy-connection.ts'

describeOnEachEngine('two endpoints of one hub', (open) => {
  test('each has its own tools and connections, and its connections are its own after a restart', async () => {
    await using opened = await open()
    const before = await startTwo(opened.store)
    const first = await connectLegacy(before.first)
    const second = await connectLegacy(before.second)
    expect(await first.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'first' }] } })
    expect(await second.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'second' }] } })
    expect(await statusAt(before.second, first.id)).toBe(404)
    await before[Symbol.asyncDispose]()

    await using after = await startTwo(await opened.reopen())
    expect(after.openConnections()).toEqual([1, 1])
    expect(await statusAt(after.second, first.id)).toBe(404)
    expect(await statusAt(after.first, second.id)).toBe(404)
    const backAtFirst = attachLegacy(after.first, first.id)
    const backAtSecond = attachLegacy(after.second, second.id)
    expect(await backAtFirst.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'first' }] } })
    expect(await backAtSecond.request('tools/list')).toMatchObject({ result: { tools: [{ name: 'second' }] } })
  })

  test('a listener without a page or logins answers those paths with 404, and both share the metrics', async () => {
    await using opened = await open()
    await using two = await startTwo(opened.store)
    for (const path of ['/', '/oauth/callback?code=a&state=b']) {
      expect(await exchange(two.second, { method: 'GET', path })).toMatchObject({ status: 404 })
    }
    await exchange(two.first, { method: 'GET', path: '/healthz' })
    await exchange(two.second, { method: 'GET', path: '/healthz' })
    const { text } = await exchange(two.first, { method: 'GET', path: '/metrics' })
    expect(text).toContain('signalbox_http_requests_total{route="/healthz",status="200"} 2')
    expect(text.match(/^# TYPE signalbox_streams gauge$/gm)).toHaveLength(1)
  })
})

interface Listener extends Target, AsyncDisposable {
  readonly openConnections: () => number
}

async function startTwo(store: Store) {
  await using stack = new AsyncDisposableStack()
  const metrics = createMetrics()
  const first = stack.use(await startListener('first', store, metrics))
  const second = stack.use(await startListener('second', store, metrics))
  const opened = stack.move()
  return {
    first,
    second,
    openConnections: () => [first.openConnections(), second.openConnections()],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function startListener(id: string, store: Store, metrics: Metrics): Promise<Listener> {
  const log = createLog({ level: 'error', redactor: createRedactor() })
  const caller: Principal = { tokenId: 't1', role: 'human' }
  const tool = defineTool({
    name: id,
    description: 'Which endpoint this is.',
    input: z.strictObject({}),
    output: z.object({ id: z.string() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    alwaysListed: true,
    run: async () => ({ id }),
  })
  const face = createFace({
    id,
    info: { name: id, version: '1' },
    instructions: '',
    providers: [{ toolset: 'admin', tools: () => [tool] }],
  })
  const endpoint = createEndpoint({
    records: createConnectionRecords({ store, hubId: 'h1', endpoint: id }),
    notices: createNotices(),
    log,
    stateKey: new Uint8Array(32).fill(id.length),
    maxConnectionsPerToken: 10,
    maxSubscriptionsPerSession: 10,
    maxCallsPerToken: 10,
    maxCallMembers: 1_000,
    connectionIdleMs: 3_600_000,
    onConnectionsChange: () => {},
  })
  expect(endpoint.id).toBe(id)
  await endpoint.restore({ principalOf: async () => caller, faceOf: () => face })
  const rules = { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] }
  const http = createHttp({ rules, maxBodyBytes: 1_000_000, maxIdlePerToken: 10, metrics, log })
  const port = await http.listen('127.0.0.1', 0)
  http.open({
    endpoint,
    authenticator: { authenticate: async () => ({ is: 'authenticated', caller }) },
    faceOf: () => face,
  })
  return {
    port,
    token: 'any',
    openConnections: () => endpoint.counts().connections,
    [Symbol.asyncDispose]: () => http.stop(0),
  }
}

async function statusAt(listener: Listener, connection: string): Promise<number> {
  const { status } = await attachLegacy(listener, connection).post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  return status
}
