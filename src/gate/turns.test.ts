/** Turns on a real store, with the threads of real sessions. */
import { expect, test } from 'vitest'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { until } from '../../test/fixtures/until.ts'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { NewEvent } from '../api/event.ts'
import type { NewEntry } from '../api/thread.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { createChainPolicies, createTurns } from './gate.ts'
import type { TurnThreads } from './turns.ts'

async function open() {
  const { store, sessions, threads } = await useSqliteWorld()
  const { call } = openSessionTools(sessions)
  for (const name of ['a', 'b', 'c']) await call('create_session', { name, command: 'cat' })
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => sessions.find(name)))
  const events: NewEvent[] = []
  const append = (event: NewEvent) => ({ id: '', ...event, seq: events.push(event), at: '' })
  /** As each hub makes them. */
  const openTurns = (of: TurnThreads = threads(), write = async (event: NewEvent) => append(event)) =>
    createTurns({
      store,
      hubId: 'hub-1',
      events: { append: write, appendLater: (event) => void append(event) },
      threads: of,
      findSession: (id) => sessions.find(id),
      log: createLog({ level: 'error', redactor: createRedactor(), destination: { write() {} } }),
    })
  const writer = threads().writerOf({ ...b!, agent: 'test' })
  let keys = 0
  return {
    a: a!,
    b: b!,
    c: c!,
    sessions,
    threads,
    events,
    openTurns,
    write: (entry: object) =>
      writer.append('conversation', [{ key: `k${++keys}`, at: new Date().toISOString(), ...entry } as NewEntry]),
  }
}

const later = () => new Date(Date.now() + 60_000).toISOString()
const namesOf = (members: readonly { readonly name: string }[]) => members.map(({ name }) => name)

test('a turn lasts from before its prompt until its thread shows the end, under one correlation', async () => {
  const { a, b, c, events, openTurns, write } = await open()
  const turns = openTurns()
  expect(turns.placeOf(b.id)).toBeUndefined()
  await turns.begin({ session: a, prompt: 'lead', isBusy: false, correlation: 'c1', parent: 'call' })
  const turn = await turns.begin({ session: b, caller: a, prompt: 'help', isBusy: false, correlation: 'c1' })
  expect(turn.chain).toEqual(['a', 'b'])
  const started = events.at(-1)?.id
  expect(started).toMatch(/^[0-9a-f-]{36}$/)
  expect(turns.placeOf(b.id)).toMatchObject({ correlation: 'c1', parent: started })
  const deeper = await turns.begin({ session: c, caller: b, prompt: 'more', isBusy: false, correlation: 'c1' })
  expect(deeper.chain).toEqual(['a', 'b', 'c'])
  expect(namesOf(turns.callersOf(c.id))).toEqual(['a', 'b'])

  // A person was faster: the end of that turn is not the end of this one.
  await write({ type: 'prompt', text: 'typed by a person' })
  await write({ type: 'complete', status: 'completed' })
  await write({ type: 'prompt', text: 'help' })
  await turns.sweeps[0]!.run()
  expect(namesOf(turns.callersOf(b.id))).toEqual(['a'])
  await write({ type: 'text', text: 'here it is' })
  await write({ type: 'complete', status: 'completed' })
  await until(() => turn.outcome)
  expect(turn.outcome).toMatchObject({ status: 'completed', answer: 'here it is' })
  expect(turns.callersOf(b.id)).toEqual([])
  expect(events.at(-1)).toMatchObject({ type: 'turn-ended', parent: started, correlation: 'c1' })
})

test('the next hub keeps the chain of a turn that has not ended, and ends one whose session has', async () => {
  const { a, b, c, sessions, openTurns } = await open()
  const before = openTurns()
  await before.begin({ session: b, caller: a, prompt: 'help', isBusy: false, correlation: 'c1' })
  await before.begin({ session: c, caller: a, prompt: 'help', isBusy: false, correlation: 'c1' })
  await sessions.kill(c, { remove: false })
  const turns = openTurns()
  await turns.start()
  expect(namesOf(turns.callersOf(b.id))).toEqual(['a'])
  expect(turns.callersOf(c.id)).toEqual([])
})

test('a turn is stored before its event, and not kept if its event cannot be written', async () => {
  const { b, events, openTurns } = await open()
  const start = { session: b, prompt: 'help', isBusy: false, correlation: 'c1' }
  const killed = openTurns(undefined, () => new Promise(() => {}))
  void killed.begin(start)
  const next = openTurns()
  await until(async () => {
    await next.start()
    return next.isRunning(b.id)
  })
  await next.endIdle(b.id, later())
  expect(events).toMatchObject([{ type: 'turn-ended', parent: expect.any(String), payload: { status: 'failed' } }])

  const full = openTurns(undefined, async () => {
    throw new Error('the disk is full')
  })
  await expect(full.begin(start)).rejects.toThrow('the disk is full')
  const after = openTurns()
  await after.start()
  expect(after.isRunning(b.id)).toBe(false)
})

test('the rules of a turn stay while its thread cannot be read', async () => {
  const { a, b, threads, openTurns, write } = await open()
  const blind = async () => Promise.reject(new Error('the disk is gone'))
  const turns = openTurns({ ...threads(), turnAfter: blind, isQuietAfter: blind })
  await turns.begin({ session: b, caller: a, prompt: 'help', isBusy: false, correlation: 'c1' })
  await write({ type: 'prompt', text: 'help' })
  await write({ type: 'complete', status: 'completed' })
  await turns.sweeps[0]!.run()
  await expect(turns.endIdle(b.id, later())).rejects.toThrow('the disk is gone')
  expect(namesOf(turns.callersOf(b.id))).toEqual(['a'])
})

test('the rules stay if an agent reports idle in the middle of a turn, and end if the prompt was lost', async () => {
  const { a, b, openTurns, write } = await open()
  const turns = openTurns()
  const turn = await turns.begin({ session: b, caller: a, prompt: 'help', isBusy: false, correlation: 'c1' })
  await write({ type: 'prompt', text: 'help' })
  await write({ type: 'tool-request', callId: '1', name: 'sessions_report_activity', parameters: { is: 'idle' } })
  await turns.endIdle(b.id, later())
  expect(turn.outcome).toBeUndefined()
  expect(namesOf(turns.callersOf(b.id))).toEqual(['a'])
  await write({ type: 'complete', status: 'interrupted' })
  await until(() => turn.outcome)

  const lost = await turns.begin({ session: b, caller: a, prompt: 'again', isBusy: false, correlation: 'c2' })
  await turns.endIdle(b.id, later())
  expect(lost.outcome).toMatchObject({ status: 'failed' })
  expect(turns.callersOf(b.id)).toEqual([])
})

test('a turn ends if its prompt was not delivered, and stays open if that is uncertain', async () => {
  const { a, b, openTurns } = await open()
  const turns = openTurns()
  const start = { session: b, caller: a, prompt: 'help', isBusy: false, correlation: 'c1' }
  const refused = await turns.begin(start)
  await refused.deliver(async () => ({ delivered: false, reason: 'a dialog is in the way' }))
  expect(refused.outcome).toMatchObject({ status: 'failed', reason: 'a dialog is in the way' })
  const uncertain = await turns.begin(start)
  const broken = async () => Promise.reject(new Error('the connection broke'))
  await expect(uncertain.deliver(broken)).rejects.toThrow('the connection broke')
  expect(uncertain.outcome).toBeUndefined()
})

test('the strictest decision of the chain counts, and a policy that cannot be evaluated refuses the call', async () => {
  const effects = new Map<string, 'allow' | 'ask' | 'deny' | 'fail'>()
  const members = [
    { id: 'a', name: 'lead' },
    { id: 'b', name: 'middle' },
  ]
  const policies = createChainPolicies({
    turns: { callersOf: () => members },
    policies: {
      async decide(session) {
        const effect = effects.get(session) ?? 'allow'
        if (effect === 'fail') throw new Error('it is broken')
        return { effect, rule: 'session#1', policyVersion: `${session}@1` }
      },
      versionOf: async (session) => `${session}@1`,
    },
  })
  const decide = () => policies.decide('own', { tool: 'own_shell', arguments: {} })
  expect(await decide()).toMatchObject({ effect: 'allow', rule: 'session#1' })
  effects.set('own', 'ask').set('b', 'deny')
  expect(await decide()).toEqual({
    effect: 'deny',
    rule: 'session#1 of "middle"',
    reason: 'this session works for "middle", and the policy of "middle" applies too',
    policyVersion: 'own@1 + a@1 + b@1',
  })
  expect(await policies.versionOf('own')).toBe('own@1 + a@1 + b@1')
  effects.set('a', 'fail')
  await expect(decide()).rejects.toThrow('works for "lead", and the policy of "lead" could not be evaluated')
})
