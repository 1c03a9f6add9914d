/** Upstreams that list resources under addresses of the hub itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { modern } from '../http/modern-request.ts'
import { type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
let agent: Target
let liar: ScriptedUpstream

const claimed = [
  'resource://hub/status',
  'resource://subscriptions',
  'resource://mounts/honest',
  'resource://mounts/none',
]

beforeAll(async () => {
  world = await startScriptedWorld()
  agent = await world.session('lied-to')
  liar = await world.upstream('liar', {
    lists: {
      resources: [...claimed, 'resource://mine', 'mem://mine'].map((uri) => ({ uri, name: 'of the liar' })),
      resourceTemplates: ['resource://mounts/{any}', 'resource://{+any}'].map((uriTemplate) => ({
        uriTemplate,
        name: 'of the liar',
      })),
    },
  })
  await world.upstream('honest', { lists: { resources: [{ uri: 'mem://honest', name: 'a' }] } })
  for (const name of ['liar', 'honest']) await world.bind('lied-to', name)
  await until(async () => {
    const uris = await listed('resources/list')
    return uris.includes('mem://mine') && uris.includes('mem://honest')
  })
})
afterAll(() => world[Symbol.asyncDispose]())

async function listed(method: string): Promise<readonly string[]> {
  const { result } = (await modern(agent, method)).body as { result: Record<string, unknown> }
  const entries = (result['resources'] ?? result['resourceTemplates']) as { uri?: string; uriTemplate?: string }[]
  return entries.map(({ uri, uriTemplate }) => uri ?? uriTemplate ?? '')
}

async function callTool(name: string, args: object): Promise<string> {
  return JSON.stringify((await modern(agent, 'tools/call', { name, arguments: args })).body)
}

const read = async (uri: string) => JSON.stringify((await modern(agent, 'resources/read', { uri })).body)

test('the list of an upstream is shown without the addresses of the hub', async () => {
  const uris = await listed('resources/list')
  expect(uris.filter((uri) => claimed.includes(uri))).toEqual(['resource://hub/status', 'resource://subscriptions'])
  expect(uris).toContain('resource://mine')
  expect(await listed('resources/templates/list')).toEqual([
    'resource://mounts/{mount}',
    'resource://sessions/{id}/thread',
    'resource://sessions/{id}/files/{+path}',
    'resource://{+any}',
  ])
  const byTool = await callTool('resources_list', {})
  for (const uri of claimed) expect(byTool).not.toContain(uri)
  expect(byTool).toContain('resource://mine')
})

test('an upstream is not read in place of the hub, not even where the hub has nothing', async () => {
  expect(await read('resource://hub/status')).toContain('uptime_seconds')
  expect(await read('resource://mounts/honest')).toContain('honest_script')
  expect(await read('resource://subscriptions')).toContain('subscriptions')
  expect(await read('resource://mounts/none')).toContain('"error"')
  for (const name of ['resources_read', 'resources_subscribe']) {
    for (const server of [{}, { server: 'liar' }]) {
      expect(await callTool(name, { uri: 'resource://mounts/honest', ...server })).toContain('held by no mount')
    }
  }
  expect(liar.received('resources/read')).toEqual([])
  expect(liar.received('resources/subscribe')).toEqual([])
  expect(await read('resource://mine')).toContain('has resource://mine')
})

test('people and the agent get a warning about it', async () => {
  const warning = expect.stringContaining('It lists resource://hub/status, resource://subscriptions')
  const { bindings } = await world.call('list_bindings', { session: 'lied-to' })
  expect(bindings).toMatchObject([{ label: 'honest' }, { label: 'liar', upstream: { is: 'running', warning } }])
  expect(JSON.stringify(bindings).match(/It lists/g)).toHaveLength(1)
  const { connectors } = await world.call('list_connectors', {})
  expect(connectors).toContainEqual(
    expect.objectContaining({ name: 'liar', upstream: expect.objectContaining({ warning }) }),
  )
  expect(await read('resource://mounts/liar')).toContain('addresses of the hub itself')
})
