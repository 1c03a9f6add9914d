/** No confused deputy: an agent cannot get another agent to do something that it may not do itself. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import { until } from './fixtures/until.ts'
import { compileCache } from './harness/compile-cache.ts'
import { asking, calling, type PeersWorld, startPeersWorld } from './worlds/peers-world.ts'

let world: PeersWorld
let acts = 0

/** Calls the upstream. Each call differs, so that no approval is picked up by another. */
const act = () => calling('up_act_now', { number: ++acts })
const touch = () => `RUN touch ${world.path('touched')}`
const deeds = () => (existsSync(world.path('deeds')) ? readFileSync(world.path('deeds'), 'utf8') : '')
const isTouched = () => existsSync(world.path('touched'))
const setPolicy = (target: string, source: string) => world.call('set_policy', { scope: 'session', target, source })
const pending = () =>
  until(async () => ((await world.call('list_approvals'))['approvals'] as readonly Approval[]).at(0))

beforeAll(async () => {
  world = await startPeersWorld({ SIGNALBOX_APPROVAL_HOLD: '600' })
  const upstream = fileURLToPath(new URL('worlds/counting-upstream.ts', import.meta.url))
  const args = [upstream, world.path('deeds')]
  const options = { env: compileCache }
  await world.call('save_connector', { name: 'counting', transport: 'stdio', cmd: process.execPath, args, options })
  for (const name of ['a', 'b', 'c']) {
    await world.agent(name, { connectors: [{ connector: 'counting', label: 'up' }] })
  }
})
afterAll(() => world[Symbol.asyncDispose]())

beforeEach(async () => {
  for (const name of ['a', 'b', 'c']) await setPolicy(name, '')
  for (const file of ['deeds', 'touched', 'go']) rmSync(world.path(file), { force: true })
})

const through = {
  'one peer': (line: string) => [asking('b', ['do it', line])],
  'two peers': (line: string) => [asking('b', ['pass it on', asking('c', ['do it', line])])],
}

test.each(Object.entries(through))('a tool that is denied stays denied through %s', async (_, by) => {
  const deny = 'rules:\n  - deny: up_*\n    reason: hands off\n  - deny: own_shell'
  await setPolicy('a', deny)
  const tool = await world.prompt('a', by(act()))
  expect(tool['answer']).toMatch(/-32951.*this session works for "a", and the policy of "a" applies too: hands off/)
  const own = await world.prompt('a', by(touch()))
  expect(own['answer']).toContain('refused')
  expect([deeds(), isTouched()]).toEqual(['', false])

  // A's turn is bound, not the peer itself.
  await world.prompt(by('').join().includes('pass it on') ? 'c' : 'b', [act(), touch()])
  expect([deeds(), isTouched()]).toEqual(['tools/call Act-Now\n', true])
})

test('the record names the rule of the session that a peer works for', async () => {
  await setPolicy('a', 'rules:\n  - deny: up_*')
  await world.prompt('a', through['one peer'](act()))
  const [denied] = await world.events({ type: 'tool-called', session: 'b', order: 'newest', limit: 1 })
  expect(denied?.payload).toMatchObject({
    decision: {
      effect: 'deny',
      rule: 'session#1 of "a"',
      reason: expect.stringContaining('works for "a"'),
    },
  })
})

test('a session that asks a person cannot pass the question to a peer, and no grant of the peer answers it', async () => {
  await setPolicy('a', 'rules:\n  - ask: up_*')
  const first = world.prompt('a', through['one peer'](act()))
  const approval = await pending()
  expect(approval).toMatchObject({ session: 'b', rule_reason: expect.stringContaining('works for "a"') })
  expect(deeds()).toBe('')
  await world.call('decide_approval', { id: approval.id, decision: 'approve', scope: 'session' })
  expect((await first)['answer']).toContain('done')

  // The grant frees B. B works for A again, and A has none.
  const second = world.prompt('a', through['one peer'](act()))
  const again = await pending()
  await world.call('decide_approval', { id: again.id, decision: 'deny' })
  expect((await second)['answer']).toContain('-32951')
  expect(deeds()).toBe('tools/call Act-Now\n')
})

test('a grant of the caller does not free its peer', async () => {
  await setPolicy('a', 'rules:\n  - ask: up_*')
  const own = world.prompt('a', [act()])
  await world.call('decide_approval', { id: (await pending()).id, decision: 'approve', scope: 'session' })
  await own
  await setPolicy('c', 'rules:\n  - ask: up_*')
  const asked = world.prompt('a', [asking('c', ['do it', act()])])
  await world.call('decide_approval', { id: (await pending()).id, decision: 'deny' })
  expect((await asked)['answer']).toContain('-32951')
})

test('a prompt that a person gives in between does not free the turn that runs', async () => {
  await setPolicy('a', 'rules:\n  - deny: [up_*, own_shell]')
  const hold = `HOLD ${world.path('go')}`
  const asked = world.prompt('a', [asking('b', ['for a', hold, act(), touch()])])
  await until(() => world.notes().at(-1) === 'begin for a')
  const between = world.prompt('b', ['for a person', touch()])
  const chains = async () =>
    (await world.events({ type: 'turn-started', session: 'b', order: 'newest', limit: 2 })) ?? []
  await until(async () => (await chains())[0]?.payload['chain']?.toString() === 'b')
  writeFileSync(world.path('go'), '')
  expect((await asked)['answer']).toContain('refused')
  expect(JSON.stringify(await world.thread('b'))).toContain('-32951')
  expect(deeds()).toBe('')
  expect(await between).toMatchObject({ status: 'completed', answer: expect.stringContaining('ran') })
  expect(isTouched()).toBe(true)
})

test('after kill -9 of the hub the chain still binds the peer, and no longer when its turn has ended', async () => {
  await setPolicy('a', 'rules:\n  - deny: [up_*, own_shell]')
  const hold = `HOLD ${world.path('go')}`
  await world.prompt('a', [asking('b', ['survives', hold, act(), touch(), 'SAY over'])], { wait: false })
  await until(() => world.notes().at(-1) === 'begin survives')
  await world.restart('SIGKILL')
  writeFileSync(world.path('go'), '')
  await until(() => world.notes().includes('end survives'))
  expect([deeds(), isTouched()]).toEqual(['', false])
  const denied = await world.events({ type: 'tool-called', session: 'b', order: 'newest', limit: 2 })
  expect(denied.map(({ payload }) => payload['decision'])).toMatchObject([{ effect: 'deny' }, { effect: 'deny' }])
  await until(async () => {
    const [ended] = await world.events({ type: 'turn-ended', session: 'b', order: 'newest', limit: 1 })
    return ended?.parent === denied[0]?.parent
  })
  await world.prompt('b', [act(), touch()])
  expect([deeds(), isTouched()]).toEqual(['tools/call Act-Now\n', true])
})

test('if the policy of the caller cannot be found, its peer may do nothing for it', async () => {
  await world.agent('gone')
  const hold = `HOLD ${world.path('go')}`
  await world.prompt('gone', [asking('b', ['orphaned', hold, act(), touch()])], { wait: false })
  await until(() => world.notes().at(-1) === 'begin orphaned')
  // The call of the caller ends with the hub, so that the peer is not interrupted.
  await world.restart('SIGKILL')
  await world.call('kill_session', { name: 'gone', remove: true })
  writeFileSync(world.path('go'), '')
  await until(() => world.notes().includes('end orphaned'))
  expect([deeds(), isTouched()]).toEqual(['', false])
  expect(JSON.stringify(await world.thread('b'))).toContain('-32953')
})
