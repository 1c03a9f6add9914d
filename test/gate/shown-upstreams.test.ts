/** People see the upstreams of their sessions, and can restart one. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modern, modernStream } from '../http/modern-request.ts'
import { eventually, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
beforeAll(async () => {
  const breach = expect.stringContaining('has no array')
  world = await startScriptedWorld({ SHELF_KEY: 'swordfish-swordfish' }, [breach])
})
afterAll(() => world[Symbol.asyncDispose]())

async function connector(name: string): Promise<unknown> {
  const { connectors } = await world.call('list_connectors', {})
  return (connectors as { name: string }[]).find((each) => each.name === name)
}

async function read(uri: string): Promise<unknown> {
  const { body } = await modern(world, 'resources/read', { uri })
  const { contents } = (body as { result: { contents: [{ text: string }] } }).result
  return JSON.parse(contents[0].text)
}

async function callScript(agent: Parameters<typeof modern>[0], tool: string, steps: readonly object[]): Promise<void> {
  await modern(agent, 'tools/call', { name: tool, arguments: { steps } })
}

test('the connector and the binding show the last breach of the protocol and the revision in use', async () => {
  const agent = await world.session('sloppy')
  await world.upstream('sloppy')
  await world.bind('sloppy', 'sloppy')
  const { id } = await world.call('get_session', { name: 'sloppy' })
  const spoken = { is: 'running', era: 'legacy', version: '2025-11-25' }
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('sloppy_script')
  expect(await connector('sloppy')).toMatchObject({ upstream: spoken })
  expect(await connector('sloppy')).not.toHaveProperty('upstream.breach')

  const uri = 'resource://connectors/sloppy'
  const filter = { notifications: { resourceSubscriptions: [uri] } }
  using followed = await modernStream(world, 'subscriptions/listen', filter)
  await followed.message()
  await callScript(agent, 'sloppy_script', [{ result: { content: 'no list' } }])
  const upstream = { ...spoken, breach: { sentence: expect.stringContaining('content'), at: expect.any(String) } }
  expect(await followed.message()).toMatchObject({ method: 'notifications/resources/updated', params: { uri } })
  expect(await connector('sloppy')).toMatchObject({ upstream })
  expect(await read(uri)).toMatchObject({ upstream })
  expect(await world.call('list_bindings', { session: 'sloppy' })).toMatchObject({ bindings: [{ upstream }] })
  expect(await read(`resource://sessions/${String(id)}/mcp`)).toMatchObject({ bindings: [{ upstream }] })
})

test('restart_connector restarts an upstream in one session or in all, and a shared one for all its sessions', async () => {
  const mine = await world.upstream('mine')
  const shared = await world.upstream('shared', { options: { shared: true } })
  for (const name of ['one', 'two']) {
    const agent = await world.session(name)
    await world.bind(name, 'mine')
    await world.bind(name, 'shared')
    await eventually(async () => (await modern(agent, 'tools/list')).text).toMatch(/mine_script[\s\S]*shared_script/)
  }
  const starts = () => [mine, shared].map((upstream) => upstream.received('initialize').length)
  const bindingsOf = (connector: string, ...sessions: readonly string[]) => ({
    bindings: sessions.map((session) => ({ session, connector, label: connector, upstream: { is: 'running' } })),
  })
  await eventually(async () => starts()).toEqual([2, 1])
  expect(await world.call('restart_connector', { name: 'mine', session: 'one' })).toMatchObject(
    bindingsOf('mine', 'one'),
  )
  expect(starts()).toEqual([3, 1])
  expect(await world.call('restart_connector', { name: 'mine' })).toMatchObject(bindingsOf('mine', 'one', 'two'))
  expect(starts()).toEqual([5, 1])
  const both = bindingsOf('shared', 'one', 'two')
  expect(await world.call('restart_connector', { name: 'shared', session: 'two' })).toMatchObject(both)
  expect(starts()).toEqual([5, 2])
})

test('an upstream that does not start is shown with its output, without secrets, and starts after a restart', async () => {
  const ready = join(world.home, 'shelf-is-there')
  const script = `[ -e '${ready}' ] || { read line; echo "no shelf for $SHELF_KEY" >&2; echo bye >&2; exit 3; }; exec "$@"`
  const { args, cmd } = await upstreamCommand('late')
  await world.call('save_connector', {
    name: 'late',
    transport: 'stdio',
    cmd: 'sh',
    args: ['-c', script, 'sh', cmd, ...args],
    env_keys: ['SHELF_KEY'],
  })
  await world.session('waiting')
  await world.bind('waiting', 'late')
  const stderr = 'no shelf for [redacted]\nbye'
  expect(await world.call('test_connector', { name: 'late', session: 'waiting' })).toMatchObject({ ok: false, stderr })

  const agent = await world.another('waiting')
  await modern(agent, 'tools/list')
  await eventually(() => world.call('list_bindings', { session: 'waiting' })).toMatchObject({
    bindings: [{ upstream: { is: 'failed', reason: expect.stringContaining('bye'), stderr } }],
  })
  expect(await connector('late')).not.toHaveProperty('upstream.stderr')
  writeFileSync(ready, '')
  expect(await world.call('restart_connector', { name: 'late' })).toMatchObject({
    bindings: [{ session: 'waiting', upstream: { is: 'running', era: 'legacy' } }],
  })
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('late_script')
})

async function upstreamCommand(name: string): Promise<{ cmd: string; args: readonly string[] }> {
  await world.upstream(name)
  return (await connector(name)) as { cmd: string; args: readonly string[] }
}
