/** A rule that forbids a tool by a name its agent sees stays in effect when other tools are listed or bound later. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modern } from '../http/modern-request.ts'
import { eventually, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
beforeAll(async () => {
  world = await startScriptedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })

async function forbid(session: string, name: string): Promise<void> {
  await world.call('set_policy', { scope: 'session', target: session, source: `rules: [{ deny: ${name} }]` })
}

async function check(session: string, name: string): Promise<unknown> {
  return world.call('check_call', { session, tool: name })
}

test('a tool stays forbidden when another tool makes its name longer', async () => {
  const agent = await world.session('clash')
  const upstream = await world.upstream('demo', { lists: { tools: [tool('get-env')] } })
  await world.bind('clash', 'demo')
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('"demo_get_env"')
  await forbid('clash', 'demo_get_env')
  upstream.setLists({ tools: [tool('get-env'), tool('get_env'), tool('other')] })
  await world.call('restart_connector', { name: 'demo' })
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('"demo_other"')

  const names = (await world.call('list_session_tools', { session: 'clash' }))['tools'] as { name: string }[]
  const both = names.map(({ name }) => name).filter((name) => name.startsWith('demo_get_env'))
  expect(both).toHaveLength(2)
  for (const name of both) {
    const { body } = await modern(agent, 'tools/call', { name, arguments: {} })
    expect(body).toMatchObject({ error: { code: -32951 } })
  }
  expect(upstream.received('tools/call')).toEqual([])
})

test('a tool stays forbidden when one more connector makes its name longer', async () => {
  const agent = await world.session('growing')
  const upstream = await world.upstream('bare', { lists: { tools: [tool('get-env')] }, options: { prefix: false } })
  await world.upstream('second')
  await world.bind('growing', 'bare')
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('"get-env"')
  await forbid('growing', 'get-env')
  await world.bind('growing', 'second')
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('"second_script"')
  const { body } = await modern(agent, 'tools/call', { name: 'bare_get_env', arguments: {} })
  expect(body).toMatchObject({ error: { code: -32951 } })
  expect(upstream.received('tools/call')).toEqual([])
})

test('a policy check reports this for both names, also at a hub that has started nothing of the session yet', async () => {
  await world.upstream('kept', { lists: { tools: [tool('get-env')] } })
  const agent = await world.session('known')
  await world.bind('known', 'kept')
  await eventually(async () => (await modern(agent, 'tools/list')).text).toContain('"kept_get_env"')
  await forbid('known', 'kept_get-env')
  await world.restart('SIGKILL')
  expect(await check('known', 'kept_get_env')).toMatchObject({ effect: 'deny' })
  expect(await check('known', 'kept_get-env')).toMatchObject({ effect: 'deny' })
})

test('a policy check of an unknown tool says that it goes by the name alone', async () => {
  await world.upstream('unseen', { lists: { tools: [tool('get-env')] } })
  await world.session('early')
  await world.bind('early', 'unseen')
  await forbid('early', 'unseen_get-env')
  const why = expect.stringContaining('What the mount "unseen" offers is not known')
  expect(await check('early', 'unseen_get_env')).toMatchObject({ effect: 'allow', why })
  expect(await check('early', 'terminal_read_screen')).not.toMatchObject({ why })
})
