/** Followed resources: each change reaches exactly its followers, in both eras and by both ways. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { attachLegacy, connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { eventually, type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

const lists = {
  resources: [{ uri: 'thing://one', name: 'one' }],
  resourceTemplates: [{ uriTemplate: 'thing://{+path}', name: 'things' }],
}

let world: ScriptedWorld
let agent: Target
let neighbour: Target
let up: ScriptedUpstream
let common: ScriptedUpstream
beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('agent')
  neighbour = await world.session('neighbour')
  up = await world.upstream('up', { lists })
  common = await world.upstream('common', {
    lists: { resources: [{ uri: 'common://one', name: 'one' }] },
    options: { shared: true },
  })
  await world.bind('agent', 'up')
  await world.bind('agent', 'common')
  await world.bind('neighbour', 'common')
  for (const [target, tool] of [
    [agent, 'up_script'],
    [agent, 'common_script'],
    [neighbour, 'common_script'],
  ] as const) {
    await until(async () => (await modern(target, 'tools/list')).text.includes(tool))
  }
})
afterAll(() => world[Symbol.asyncDispose]())

async function change(uri: string, tool = 'up_script', target = agent): Promise<void> {
  const steps = [{ say: { method: 'notifications/resources/updated', params: { uri } } }]
  await modern(target, 'tools/call', { name: tool, arguments: { steps } })
}

/** How often the upstream got a subscribe and an unsubscribe for this resource. */
function subscribesAndUnsubscribes(upstream: ScriptedUpstream, uri: string): readonly [number, number] {
  const count = (method: string) => upstream.received(method).filter(({ params }) => params?.['uri'] === uri).length
  return [count('resources/subscribe'), count('resources/unsubscribe')]
}

async function callTool(name: string, args: object, target = agent): Promise<unknown> {
  const { body } = await modern(target, 'tools/call', { name, arguments: args })
  return body
}

test('a legacy client gets updates, and the upstream is unsubscribed when the last client leaves', async () => {
  const [one, two] = [await connectLegacy(agent), await connectLegacy(agent)]
  for (const client of [one, two]) await client.request('resources/subscribe', { uri: 'thing://one' })
  expect(subscribesAndUnsubscribes(up, 'thing://one')).toEqual([1, 0])
  using stream = await one.listen()
  await stream.next()
  await change('thing://one')
  expect(await stream.message()).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'thing://one' },
  })
  await one.request('resources/unsubscribe', { uri: 'thing://one' })
  await two.end()
  await eventually(() => subscribesAndUnsubscribes(up, 'thing://one')).toEqual([1, 1])
})

test('a client of 2026-07-28 gets updates too, also of a resource that only a template describes', async () => {
  const uri = 'thing://deep/inside'
  const filter = { notifications: { resourceSubscriptions: [uri] } }
  {
    using stream = await modernStream(agent, 'subscriptions/listen', filter)
    expect(await stream.message()).toMatchObject({ params: { notifications: { resourceSubscriptions: [uri] } } })
    expect(subscribesAndUnsubscribes(up, uri)).toEqual([1, 0])
    await change(uri)
    expect(await stream.message()).toMatchObject({ method: 'notifications/resources/updated', params: { uri } })
  }
  await eventually(() => subscribesAndUnsubscribes(up, uri)).toEqual([1, 1])
})

test('the agent’s own subscription stays when its client unsubscribes, and the other way round', async () => {
  const uri = 'thing://both'
  const client = await connectLegacy(agent)
  await client.request('resources/subscribe', { uri })
  await callTool('resources_subscribe', { server: 'up', uri })
  await client.request('resources/unsubscribe', { uri })
  await change(uri)
  await eventually(
    async () => (await modern(agent, 'resources/read', { uri: 'resource://subscriptions' })).text,
  ).toMatch(/thing:\/\/both.*changed_at/)
  await client.request('resources/subscribe', { uri })
  await callTool('resources_unsubscribe', { server: 'up', uri })
  expect(subscribesAndUnsubscribes(up, uri)).toEqual([1, 0])
  await client.request('resources/unsubscribe', { uri })
  await eventually(() => subscribesAndUnsubscribes(up, uri)).toEqual([1, 1])
})

test('if two mounts have one resource, the one with the higher priority is read', async () => {
  const reader = await world.session('reader')
  for (const name of ['low', 'high']) await world.upstream(name, { lists })
  await world.call('bind_connector', { session: 'reader', connector: 'low', label: 'low', priority: 1 })
  await world.call('bind_connector', { session: 'reader', connector: 'high', label: 'high', priority: 2 })
  const read = async (uri: string) => (await modern(reader, 'resources/read', { uri })).text
  await eventually(() => read('thing://one')).toContain('high.journal has thing://one')
  expect(await read('thing://nowhere listed')).toContain('high.journal has thing://nowhere listed')
  const listed = (await modern(reader, 'resources/list')).text
  expect(listed.match(/thing:\/\/one/g)).toHaveLength(1)
})

describe('where sessions share an upstream', () => {
  const uri = 'common://one'

  test('an unsubscribe in one session does not affect the other', async () => {
    const [own, other] = [await connectLegacy(agent), await connectLegacy(neighbour)]
    for (const client of [own, other]) await client.request('resources/subscribe', { uri })
    await own.request('resources/unsubscribe', { uri })
    using stream = await other.listen()
    await stream.next()
    await change(uri, 'common_script')
    expect(await stream.message()).toMatchObject({ params: { uri } })
    expect(subscribesAndUnsubscribes(common, uri)).toEqual([1, 0])
    await other.request('resources/unsubscribe', { uri })
    await eventually(() => subscribesAndUnsubscribes(common, uri)).toEqual([1, 1])
  })

  test('a change reaches only its followers there, not followers of the same address elsewhere', async () => {
    const bystander = await world.session('bystander')
    const listed = [uri, 'common://end'].map((each) => ({ uri: each, name: 'one' }))
    await world.upstream('rival', { lists: { resources: listed } })
    await world.call('bind_connector', { session: 'bystander', connector: 'rival', label: 'rival', priority: 9 })
    await world.bind('bystander', 'common')
    await until(async () => {
      const { text } = await modern(bystander, 'tools/list')
      return text.includes('rival_script') && text.includes('common_script')
    })
    const [own, other] = [await connectLegacy(agent), await connectLegacy(bystander)]
    for (const client of [own, other]) await client.request('resources/subscribe', { uri })
    await other.request('resources/subscribe', { uri: 'common://end' })
    using stream = await other.listen()
    await stream.next()
    using owners = await own.listen()
    await owners.next()
    await change(uri, 'common_script')
    await eventually(() => owners.messages).toContainEqual(expect.objectContaining({ params: { uri } }))
    await change('common://end', 'rival_script', bystander)
    await eventually(() => JSON.stringify(stream.messages)).toContain('common://end')
    expect(JSON.stringify(stream.messages)).not.toContain(uri)
    for (const client of [own, other]) await client.end()
  })

  test('a session that ends removes its own subscriptions', async () => {
    const guest = await world.session('guest')
    await world.bind('guest', 'common')
    await until(async () => (await modern(guest, 'tools/list')).text.includes('common_script'))
    const client = await connectLegacy(guest)
    await client.request('resources/subscribe', { uri: 'common://guest' })
    await eventually(() => subscribesAndUnsubscribes(common, 'common://guest')).toEqual([1, 0])
    await world.call('kill_session', { name: 'guest' })
    await eventually(() => subscribesAndUnsubscribes(common, 'common://guest')).toEqual([1, 1])
    expect(await callTool('common_script', {})).toMatchObject({ result: { content: [{ type: 'text' }] } })
  })
})

test('a reconfigured upstream gets the earlier subscriptions', async () => {
  const uri = 'thing://kept'
  const client = await connectLegacy(agent)
  await client.request('resources/subscribe', { uri })
  await callTool('resources_subscribe', { server: 'up', uri: 'thing://kept by a tool' })
  await world.upstream('up', { lists, options: { call_ms: 50_000 } })
  await eventually(() => subscribesAndUnsubscribes(up, uri)).toEqual([2, 0])
  await eventually(() => subscribesAndUnsubscribes(up, 'thing://kept by a tool')).toEqual([2, 0])
  await client.request('resources/unsubscribe', { uri })
})

test('after a restart of the hub every subscription is restored, before any client asks', async () => {
  const uri = 'thing://lasting'
  const client = await connectLegacy(agent)
  await client.request('resources/subscribe', { uri })
  await world.restart('SIGKILL')
  await eventually(() => subscribesAndUnsubscribes(up, uri)).toEqual([2, 0])
  await eventually(() => subscribesAndUnsubscribes(up, 'thing://kept by a tool')).toEqual([3, 0])
  const again = attachLegacy(agent, client.id)
  using stream = await again.listen()
  await stream.next()
  await change(uri)
  await eventually(() => stream.messages).toContainEqual(expect.objectContaining({ params: { uri } }))
})
