/** How many resources the clients of a session may follow, and how long their addresses may be. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { attachLegacy, connectLegacy } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { eventually, type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

const max = 5
let world: ScriptedWorld
let agent: Target
let up: ScriptedUpstream
beforeAll(async () => {
  world = await startScriptedWorld({ SIGNALBOX_MAX_SUBSCRIPTIONS_PER_SESSION: String(max) })
  agent = await world.session('agent')
  up = await world.upstream('up', { lists: { resources: [{ uri: 'thing://0', name: 'thing' }] } })
  await world.bind('agent', 'up')
  await until(async () => (await modern(agent, 'tools/list')).text.includes('up_script'))
})
afterAll(() => world[Symbol.asyncDispose]())

const uris = (count: number) => Array.from({ length: count }, (_, index) => `thing://${index}`)
const listenTo = (resourceSubscriptions: readonly string[]) => ({ notifications: { resourceSubscriptions } })
const refused = { error: { code: -32005, message: expect.stringContaining(`follow at most ${max} resources`) } }
const followed = { result: {} }

test('all connections and streams of a session count together, across a restart of the hub', async () => {
  const client = await connectLegacy(agent)
  const subscribe = (uri: string, by = client) => by.request('resources/subscribe', { uri })
  for (const uri of ['resource://hub/status', ...uris(max - 1)]) expect(await subscribe(uri)).toMatchObject(followed)
  expect(await subscribe('thing://more')).toMatchObject(refused)
  const other = await connectLegacy(agent)
  expect(await subscribe('thing://0', other)).toMatchObject(refused)
  expect((await modern(agent, 'subscriptions/listen', listenTo(['thing://0']))).text).toContain('at most')

  await world.restart('SIGKILL')
  const again = attachLegacy(agent, client.id)
  expect(await subscribe('thing://more', again)).toMatchObject(refused)
  await again.request('resources/unsubscribe', { uri: 'thing://1' })
  expect(await subscribe('thing://0', again)).toMatchObject(followed)
  expect(await subscribe('resource://sessions/none', again)).toMatchObject({ error: {} })
  await again.request('resources/unsubscribe', { uri: 'thing://none' })
  expect(await subscribe('thing://2', other)).toMatchObject(followed)
  expect(await subscribe('thing://3', other)).toMatchObject(refused)
  await again.end()
  await other.end()

  {
    using stream = await modernStream(agent, 'subscriptions/listen', listenTo(uris(max)))
    await stream.message()
    expect((await modern(agent, 'subscriptions/listen', listenTo(['thing://0']))).text).toContain('at most')
  }
  await eventually(async () => {
    const late = await connectLegacy(agent)
    const answer = await subscribe('thing://0', late)
    await late.end()
    return answer
  }).toMatchObject(followed)
})

test('subscriptions that the agent makes with its tools have the same limit', async () => {
  const call = async (name: string, uri: string) =>
    (await modern(agent, 'tools/call', { name, arguments: { server: 'up', uri } })).text
  const answers = await Promise.all(uris(max + 3).map((uri) => call('resources_subscribe', uri)))
  expect(answers.filter((answer) => answer.includes(`follow at most ${max} resources`))).toHaveLength(3)
  const first = uris(max + 3).find((_, index) => !answers[index]?.includes('at most'))!
  expect(await call('resources_subscribe', first)).not.toContain('at most')
  await call('resources_unsubscribe', first)
  expect(await call('resources_subscribe', 'thing://another')).not.toContain('at most')
})

test('an address of more than 4 KiB is refused in every request, and not passed on', async () => {
  const uri = `thing://${'ü'.repeat(2045)}`
  const client = await connectLegacy(agent)
  const tooLong = { error: { code: -32602, message: expect.stringContaining('4096 bytes at most') } }
  for (const method of ['resources/subscribe', 'resources/unsubscribe', 'resources/read']) {
    expect(await client.request(method, { uri })).toMatchObject(tooLong)
  }
  const argument = { name: 'x', value: '' }
  const ref = { type: 'ref/resource', uri }
  expect(await client.request('completion/complete', { ref, argument })).toMatchObject(tooLong)
  expect((await modern(agent, 'subscriptions/listen', listenTo([uri]))).body).toMatchObject(tooLong)
  for (const name of ['resources_read', 'resources_subscribe', 'resources_unsubscribe']) {
    expect((await modern(agent, 'tools/call', { name, arguments: { uri } })).text).toContain('4096 bytes at most')
  }
  expect(JSON.stringify(up.received())).not.toContain(uri)
  const longest = `thing://${'ü'.repeat(2044)}`
  expect(await client.request('resources/subscribe', { uri: longest })).toMatchObject(followed)
})
