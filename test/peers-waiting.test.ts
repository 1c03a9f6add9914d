/** One agent waits for another: queues, progress, cancelled calls, circles. */
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import { mostWaiting } from '../src/peers/turn-queue.ts'
import { until } from './fixtures/until.ts'
import { connectV2Legacy } from './interop/sdk-v2-client.ts'
import { asking, type PeersWorld, startPeersWorld } from './worlds/peers-world.ts'

let world: PeersWorld
beforeAll(async () => {
  world = await startPeersWorld()
  for (const name of ['a', 'b', 'c']) await world.agent(name)
})
afterAll(() => world[Symbol.asyncDispose]())

const hold = (name: string) => `HOLD ${world.path(name)}`
const release = (name: string) => writeFileSync(world.path(name), '')
const begun = (name: string) => until(() => world.notes().includes(`begin ${name}`))

test('callers of a busy session are served in the order in which they came, and too many are refused', async () => {
  const first = world.prompt('b', ['busy', hold('fair')])
  await begun('busy')
  const callers = Array.from({ length: mostWaiting + 1 }, (_, index) => `caller-${index}`)
  const asked: Promise<unknown>[] = []
  for (const name of callers) {
    // Each is a session of its own. A token is enough to ask.
    await world.call('create_session', { name, command: 'cat' })
    const endpoint = await world.endpointOf(name)
    const call = { name: 'sessions_ask', arguments: { session: 'b', text: `turn of ${name}` } }
    asked.push(world.raw(endpoint, 'tools/call', call).catch((error: unknown) => String(error)))
    // A call is in line when it is recorded: the gate comes before the line.
    await until(async () => (await world.events({ type: 'tool-called', session: name })).length > 0)
  }
  expect(await asked.at(-1)).toMatch(/-32005: "b" is busy, and 16 others wait for it already/)
  release('fair')
  await first
  await Promise.all(asked)
  const served = world.notes().filter((note) => note.startsWith('begin turn of'))
  expect(served).toEqual(callers.slice(0, -1).map((name) => `begin turn of ${name}`))
  for (const name of callers) await world.call('kill_session', { name })
})

test('two sessions that ask each other at the same time do not wait for ever', async () => {
  const ways = [
    world.prompt('a', ['one', hold('both'), asking('b', ['SAY from b'])]),
    world.prompt('b', ['other', hold('both'), asking('a', ['SAY from a'])]),
  ]
  await begun('one')
  await begun('other')
  release('both')
  const answers = (await Promise.all(ways)).map(({ answer }) => String(answer))
  expect(answers.some((answer) => /so neither would ever answer: (a → b → a|b → a → b)\./.test(answer))).toBe(true)
  expect(answers.some((answer) => /^from [ab]/.test(answer))).toBe(true)
})

test('a cancelled prompt interrupts every agent that works for it', async () => {
  const far = ['far away', hold('never'), 'SAY too late']
  const asked = world.prompt('a', ['cancelled', asking('b', ['on the way', asking('c', far)])])
  await begun('far away')
  await world.call('interrupt_session', { session: 'a' })
  expect(await asked).toMatchObject({ status: 'interrupted' })
  await until(() => world.notes().includes('cancelled far away'))
  await until(() => world.notes().includes('cancelled on the way'))
  expect(await world.prompt('c', ['SAY ready again'])).toMatchObject({ answer: 'ready again\n' })
})

test('an approval that a peer waits for does not fail the call: its progress says so', async () => {
  await world.call('set_policy', { scope: 'session', target: 'b', source: 'rules:\n  - ask: own_shell' })
  await using client = await connectV2Legacy(await world.endpointOf('a'))
  const messages: string[] = []
  const asked = client.callTool(
    'sessions_ask',
    { session: 'b', text: 'RUN echo done it' },
    { onProgress: (_, message = '') => void messages.push(message) },
  )
  const approval = await until(async () =>
    ((await world.call('list_approvals'))['approvals'] as readonly Approval[]).at(0),
  )
  await until(() => messages.some((message) => message.startsWith('"b" waits for a person: ')))
  await world.call('decide_approval', { id: approval.id, decision: 'approve' })
  expect(await asked).toMatchObject({ status: 'completed', answer: 'ran done it\n' })
  await world.call('set_policy', { scope: 'session', target: 'b', source: '' })
})

test('an agent reads the thread and the files of a peer, and nothing outside its workspace', async () => {
  const { id, workspace_path: workspace } = await world.call('get_session', { name: 'b' })
  writeFileSync(`${String(workspace)}/notes.txt`, 'of b')
  const agent = await world.endpointOf('a')
  const read = async (path: string) => world.raw(agent, 'resources/read', { uri: `resource://sessions/${path}` })
  expect(await read('b/files/notes.txt')).toMatchObject({ contents: [{ text: 'of b' }] })
  expect(JSON.stringify(await read(`${String(id)}/thread`))).toContain('done it')
  for (const path of ['../notes.txt', '%2e%2e/token', '../../token', '/etc/passwd', 'missing']) {
    await expect(read(`b/files/${path}`)).rejects.toThrow(/without "\." and|not found/i)
  }
  await world.call('set_policy', { scope: 'session', target: 'a', source: 'rules:\n  - deny: sessions_read' })
  await expect(read('b/files/notes.txt')).rejects.toThrow('-32951')
  await world.call('set_policy', { scope: 'session', target: 'a', source: '' })
})
