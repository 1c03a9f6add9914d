/** Upstreams with a slow start, and clients that list once and never again, as Codex does. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { createTempHome, type TempHome } from '../harness/temp-home.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import { type GatewayHub, overStdio, startGatewayHub, upstreamProgram } from '../worlds/gateway-hub.ts'
import { connectEndpoint } from './raw-wires.ts'
import { toolsOf } from './side-by-side.ts'

let home: TempHome
let hub: GatewayHub
beforeAll(async () => {
  home = await createTempHome()
  hub = await startGatewayHub()
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

test('the first list of a client waits for an upstream that is still starting', async () => {
  const gate = join(home.path, 'first')
  await hub.call('save_connector', { name: 'first', ...overStdio(upstreamProgram('gated-upstream', gate)) })
  const agent = await sessionWith('first')
  await until(() => existsSync(`${gate}.started`))
  await using client = await connectEndpoint(agent)
  const listed = toolsOf(client)
  // A list without a client waits only one second, which has passed.
  expect(await hub.call('list_session_tools', { session: 'with-first' })).toMatchObject({
    missing: [{ mount: 'first', state: 'initializing' }],
  })
  writeFileSync(gate, '')
  expect((await listed).map(({ name }) => name)).toContain('first_wait_for_me')
})

test('an upstream starts with its session, before its agent connects', async () => {
  const gate = join(home.path, 'early')
  writeFileSync(gate, '')
  await hub.call('save_connector', { name: 'early', ...overStdio(upstreamProgram('gated-upstream', gate)) })
  await hub.call('create_session', { name: 'with-early', command: 'cat', connectors: ['early'] })
  await expect
    .poll(() => hub.call('list_bindings', { session: 'with-early' }), { timeout: 60_000 })
    .toMatchObject({ bindings: [{ upstream: { is: 'running' } }] })
})

test.each([
  ['another session', 'session'],
  ['a trial', 'trial'],
])('tools that %s has listed are listed at once', async (_, name) => {
  const gate = join(home.path, name)
  writeFileSync(gate, '')
  await hub.call('save_connector', { name, ...overStdio(upstreamProgram('gated-upstream', gate)) })
  if (name === 'trial') expect(await hub.call('test_connector', { name })).toMatchObject({ ok: true })
  else await listOnce(await sessionWith(name))
  rmSync(gate)

  const agent = await sessionWith(name, 'again')
  expect(await listOnce(agent)).toContain(`${name}_wait_for_me`)
  expect(await hub.call('list_session_tools', { session: `again-${name}` })).toMatchObject({
    missing: [{ state: 'initializing' }],
  })
})

test('resources that another session has listed are not shown', async () => {
  const gate = join(home.path, 'private')
  writeFileSync(gate, '')
  await hub.call('save_connector', { name: 'private', ...overStdio(upstreamProgram('gated-upstream', gate)) })
  const uris = async (agent: Endpoint) => {
    await using client = await connectEndpoint(agent)
    return JSON.stringify((await client.request('resources/list')).result)
  }
  expect(await uris(await sessionWith('private'))).toContain('gated://one')
  rmSync(gate)
  expect(await uris(await sessionWith('private', 'again'))).not.toContain('gated://one')
})

async function sessionWith(connector: string, prefix = 'with'): Promise<Endpoint> {
  const session = `${prefix}-${connector}`
  await hub.call('create_session', { name: session, command: 'cat', connectors: [connector] })
  const { token } = await hub.call('issue_token', { role: 'agent', session })
  return { url: hub.url, token: String(token) }
}

async function listOnce(agent: Endpoint): Promise<readonly string[]> {
  await using client = await connectEndpoint(agent)
  return (await toolsOf(client)).map(({ name }) => name)
}
