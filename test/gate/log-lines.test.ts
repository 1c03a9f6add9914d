/** Log lines of an upstream: which clients get them, and which level the upstream gets. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { namesIn } from './questions.ts'
import { eventually, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
beforeAll(async () => {
  world = await startScriptedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function talkative(name: string) {
  const agent = await world.session(name)
  const upstream = await world.upstream(name)
  await world.bind(name, name)
  await eventually(async () => namesIn(await modern(agent, 'tools/list'))).toContain(`${name}_script`)
  return { agent, upstream, level: () => upstream.received('logging/setLevel').at(-1)?.params?.['level'] }
}

test('each client gets the lines of an upstream from its own level on', async () => {
  const { agent, upstream, level } = await talkative('talkative')
  const [curious, calm] = [await connectLegacy(agent), await connectLegacy(agent)]
  await curious.request('logging/setLevel', { level: 'debug' })
  await calm.request('logging/setLevel', { level: 'error' })
  await eventually(level).toBe('debug')
  using own = await curious.listen()
  using other = await calm.listen()
  for (const stream of [own, other]) await stream.next()
  const line = (of: string) => ({ say: { method: 'notifications/message', params: { level: of, data: of } } })
  const call = (steps: readonly object[]) => ({ name: 'talkative_script', arguments: { steps } })
  // Two calls run at once, so the lines belong to no single call.
  const params = call([{ until: 'notifications/go' }])
  const held = calm.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
  await eventually(() => upstream.received('tools/call')).toHaveLength(1)
  await modern(agent, 'tools/call', call([line('debug'), line('error')]))
  expect(await own.message()).toMatchObject({ params: { level: 'debug' } })
  expect(await own.message()).toMatchObject({ params: { level: 'error' } })
  expect(await other.message()).toMatchObject({ params: { level: 'error' } })
  await calm.notify('notifications/go')
  expect((await held).text).toContain('"content"')
})

test('the level of a client no longer counts when it has left', async () => {
  const { agent, level } = await talkative('quieter')
  const [curious, calm] = [await connectLegacy(agent), await connectLegacy(agent)]
  await calm.request('logging/setLevel', { level: 'error' })
  await eventually(level).toBe('error')
  await curious.request('logging/setLevel', { level: 'debug' })
  await eventually(level).toBe('debug')
  await curious.end()
  await eventually(level).toBe('error')
  await calm.request('logging/setLevel', { level: 'critical' })
  await eventually(level).toBe('critical')
  await calm.end()
  await eventually(level).toBe('info')
})
