/** Lines of log of an upstream: who hears them, and how many are asked for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { namesIn } from './questions.ts'
import { eventually, type ScriptedWorld, startScriptedWorld } from './scripted-world.ts'

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
  return { agent, upstream, level: () => upstream.heard('logging/setLevel').at(-1)?.params?.['level'] }
}

test('lines of one upstream reach each client from its own level on', async () => {
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
  // Two calls at once, so that nobody can say whose lines they are.
  const params = call([{ until: 'notifications/go' }])
  const held = calm.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
  await eventually(() => upstream.heard('tools/call')).toHaveLength(1)
  await modern(agent, 'tools/call', call([line('debug'), line('error')]))
  expect(await own.message()).toMatchObject({ params: { level: 'debug' } })
  expect(await own.message()).toMatchObject({ params: { level: 'error' } })
  expect(await other.message()).toMatchObject({ params: { level: 'error' } })
  await calm.notify('notifications/go')
  expect((await held).text).toContain('"content"')
})

test('what a client wanted to hear no longer counts when it has left', async () => {
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
