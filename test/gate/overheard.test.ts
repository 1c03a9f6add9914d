/** Two sessions, each with an upstream that accepts any subscription: neither gets messages of the other. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { EventStream } from '../http/event-stream.ts'
import type { Target } from '../http/exchange.ts'
import { attachLegacy, connectLegacy, type LegacyConnection } from '../http/legacy-connection.ts'
import { modern, modernStream } from '../http/modern-request.ts'
import { eventually, type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
let curious: Target
let victim: Target
let accomplice: ScriptedUpstream
let victimClient: LegacyConnection
let topics: readonly string[]

const lists = { resources: [{ uri: 'thing://shared name', name: 'thing' }] }
const own = 'thing://own'

beforeAll(async () => {
  world = await startScriptedWorld()
  curious = await world.session('curious')
  victim = await world.session('victim')
  accomplice = await world.upstream('accomplice', { lists })
  await world.upstream('other', { lists })
  await world.bind('curious', 'accomplice')
  await world.bind('victim', 'other')
  await until(async () => (await modern(curious, 'tools/list')).text.includes('accomplice_script'))
  await until(async () => (await modern(victim, 'tools/list')).text.includes('other_script'))
  victimClient = await connectLegacy(victim)
  await victimClient.request('logging/setLevel', { level: 'debug' })
  const id = String((await world.call('get_session', { name: 'victim' }))['id'])
  const faces = ['management', `compositor:${id}`, `socket:${id}`, id, 'victim', '']
  topics = [
    own,
    'thing://shared name',
    ...['tools', 'prompts', 'resources'].flatMap((list) =>
      faces.flatMap((face) => [
        `list:${list}:${face}`,
        JSON.stringify(['list', face, list]),
        JSON.stringify(['list', list, face]),
      ]),
    ),
    'resource://sessions',
    'resource://jobs',
    'resource://policies',
    'resource://policies/proposals',
    'resource://connectors',
    'resource://templates',
    'resource://approvals/pending',
    'resource://events/0',
    ...[id, 'victim'].flatMap((name) => [
      `resource://sessions/${name}`,
      `resource://sessions/${name}/snapshot`,
      `resource://sessions/${name}/approvals`,
      `resource://sessions/${name}/bindings`,
      `resource://approvals/${name}`,
    ]),
  ]
})
afterAll(() => world[Symbol.asyncDispose]())

const say = (method: string, params: object) => ({ say: { method, params } })
const changed = (uri: string) => say('notifications/resources/updated', { uri })

/**
 * Causes messages in the victim's session: a status change, notifications, list changes. Then changes the listener's
 * own resource.
 */
async function happen(): Promise<void> {
  const steps = [
    say('notifications/message', { level: 'error', data: 'a line of the victim' }),
    say('notifications/custom', { secret: 'of the victim' }),
    changed('thing://shared name'),
  ]
  // Two calls run at once, so the line belongs to no single call and goes to all clients of the session.
  const held = victimClient.post({
    jsonrpc: '2.0',
    id: victimClient.nextId(),
    method: 'tools/call',
    params: { name: 'other_script', arguments: { steps: [{ until: 'notifications/go' }] } },
  })
  await modern(victim, 'tools/call', { name: 'other_script', arguments: { steps } })
  await victimClient.notify('notifications/go')
  await held
  await world.call('send_input', { name: 'victim', text: 'hello' })
  await world.call('set_policy', { scope: 'hub', source: `default: allow # ${Math.random()}` })
  await world.upstream('unrelated')
  await modern(curious, 'tools/call', { name: 'accomplice_script', arguments: { steps: [changed(own)] } })
}

async function heardUntilOwn(stream: EventStream): Promise<readonly unknown[]> {
  await eventually(() => JSON.stringify(stream.messages)).toContain(own)
  return stream.messages.filter((message) => !isList(message))
}

/** Its own lists may change, because a policy change affects all sessions. */
const isList = (message: unknown) => JSON.stringify(message).includes('list_changed')

const onlyOwn = [expect.objectContaining({ method: 'notifications/resources/updated', params: { uri: own } })]

test('a legacy client that subscribes to every possible resource gets messages of its own session only', async () => {
  const client = await connectLegacy(curious)
  await client.request('logging/setLevel', { level: 'debug' })
  for (const uri of topics) await client.request('resources/subscribe', { uri })
  using stream = await client.listen()
  await stream.next()
  await happen()
  expect(await heardUntilOwn(stream)).toEqual(onlyOwn)

  await world.restart('SIGKILL')
  await until(async () => (await modern(curious, 'tools/list')).text.includes('accomplice_script'))
  await until(async () => (await modern(victim, 'tools/list')).text.includes('other_script'))
  victimClient = await connectLegacy(victim)
  const again = attachLegacy(curious, client.id)
  using later = await again.listen(stream.lastId)
  await later.next()
  await happen()
  expect(new Set((await heardUntilOwn(later)).map((message) => JSON.stringify(message))).size).toBe(1)
})

test('a client of 2026-07-28 gets messages of its own session only', async () => {
  using stream = await modernStream(curious, 'subscriptions/listen', {
    notifications: { resourceSubscriptions: topics },
  })
  await stream.message()
  const before = stream.messages.length
  await happen()
  await eventually(() => JSON.stringify(stream.messages.slice(before))).toContain(own)
  expect(stream.messages.slice(before)).toEqual([
    expect.objectContaining({ params: expect.objectContaining({ uri: own }) }),
  ])
})

test('no address of the hub is sent to an upstream, not even one that agents cannot read', async () => {
  for (const uri of topics.filter((each) => each.startsWith('resource://'))) {
    await modern(curious, 'resources/read', { uri })
    await modern(curious, 'tools/call', { name: 'resources_read', arguments: { server: 'accomplice', uri } })
    await modern(curious, 'tools/call', { name: 'resources_subscribe', arguments: { server: 'accomplice', uri } })
  }
  const sent = accomplice.received().map(({ params }) => String(params?.['uri']))
  expect(sent.filter((uri) => uri.startsWith('resource://'))).toEqual([])
})
