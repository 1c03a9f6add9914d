/** Concurrent operations on a session, and failures in the middle of them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { createGate } from '../../test/fixtures/gate.ts'
import type { UsedWorld } from '../../test/worlds/session-world.ts'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { Store } from '../store/store.ts'
import type { Terminals } from '../terminal/terminal.ts'
import type { SessionsOptions } from './sessions.ts'
import { terminalOf } from './session-output.ts'

const { signal } = new AbortController()
const patience = { timeout: 60_000 }

/** Terminals whose `start` waits before or after it starts the program. */
function slowTerminals(
  world: Pick<UsedWorld, 'openTerminals'>,
  wait: { before?: () => Promise<void>; after?: () => Promise<void> },
) {
  const terminals = world.openTerminals()
  const start: Terminals['start'] = async (...args) => {
    await wait.before?.()
    const terminal = await terminals.start(...args)
    await wait.after?.()
    return terminal
  }
  return { ...terminals, start }
}

/** From now on the store refuses changes of sessions, as on a full disk. */
async function breakStore({ db }: Store): Promise<() => Promise<void>> {
  await sql`create trigger refuse before update on sessions begin select raise(abort, 'the disk is full'); end`.execute(
    db,
  )
  return async () => void (await sql`drop trigger refuse`.execute(db))
}

const endsOf = ({ events }: UsedWorld, id: string) =>
  events.filter(({ type, session }) => type === 'session-ended' && session === id)

test('a session that is killed before its program starts never starts it', async () => {
  const gate = createGate()
  const world = await useSqliteWorld()
  const sessions = await world.restart({
    tokens: {
      async issue({ id }) {
        await gate.pass()
        return { id: `token-${id}`, text: 'secret' }
      },
      revoke: async (id) => world.revoked.push(id),
    },
  })
  const created = sessions.create({ name: 'never', command: 'touch begun; cat' }, signal)
  const refused = expect(created).rejects.toThrow(/stopped before it started/)
  await gate.reached
  const killed = sessions.kill(await sessions.find('never'), { remove: false })
  await vi.waitFor(async () => expect((await sessions.find('never')).isStopAsked).toBe(true), patience)
  gate.open()
  expect(await killed).toMatchObject({ status: 'stopped', startedAt: undefined })
  await refused
  expect(world.revoked).toHaveLength(1)
  expect(existsSync(join(world.home, 'workspaces', 'never', 'begun'))).toBe(false)
})

test('a report of a program that has just started counts, although its start is not stored yet', async () => {
  const gate = createGate()
  const world = await useSqliteWorld()
  const sessions = await world.restart({ terminals: slowTerminals(world, { after: gate.pass }) })
  const created = sessions.create({ name: 'early', command: 'cat' }, signal)
  await gate.reached
  const { id } = await sessions.find('early')
  const reported = sessions.report(id, { is: 'waiting', reason: 'for a test' })
  gate.open()
  expect(await reported).toBe(true)
  const { record } = await created
  await expect.poll(() => sessions.activityOf(record), patience).toMatchObject({ is: 'waiting', reason: 'for a test' })
  await sessions.kill(record, { remove: false })
  expect(await sessions.report(id, { is: 'idle' })).toBe(false)
})

test('a session that is killed while its program starts ends with it', async () => {
  const gate = createGate()
  const world = await useSqliteWorld()
  const sessions = await world.restart({ terminals: slowTerminals(world, { after: gate.pass }) })
  const created = sessions.create({ name: 'early', command: 'cat' }, signal)
  await gate.reached
  const record = await sessions.find('early')
  const killed = Promise.all([sessions.kill(record, { remove: false }), sessions.kill(record, { remove: false })])
  await vi.waitFor(async () => expect((await sessions.find('early')).isStopAsked).toBe(true), patience)
  gate.open()
  expect((await killed).map(({ status }) => status)).toEqual(['stopped', 'stopped'])
  expect((await created).record.id).toBe(record.id)
  expect(sessions.count).toBe(0)
  expect(endsOf(world, record.id)).toHaveLength(1)
})

test('a request for the terminal of a starting session waits and gets that terminal', async () => {
  const gate = createGate()
  const world = await useSqliteWorld()
  const terminals = slowTerminals(world, { after: gate.pass })
  const adopt = vi.spyOn(terminals, 'adopt')
  const sessions = await world.restart({ terminals })
  const created = sessions.create({ name: 'soon', command: 'cat' }, signal)
  await gate.reached
  const early = terminalOf(sessions, await sessions.find('soon'))
  gate.open()
  const { record } = await created
  expect(await early).toBe(await terminalOf(sessions, record))
  expect(adopt).not.toHaveBeenCalled()
})

test('a socket that opens after its session has ended is closed', async () => {
  const gate = createGate()
  const close = vi.fn(async () => {})
  const world = await useSqliteWorld([], {
    async openSocket() {
      await gate.pass()
      return { path: '/nowhere', close }
    },
  })
  const created = world.sessions.create({ name: 'short', command: 'true' }, signal)
  await gate.reached
  await vi.waitFor(async () => expect((await world.sessions.find('short')).status).toBe('completed'), patience)
  gate.open()
  await created
  expect(close).toHaveBeenCalledOnce()
})

test('a change that cannot be stored is logged, and later changes are stored', async () => {
  const world = await useSqliteWorld()
  const { record } = await world.sessions.create({ name: 'resized', command: 'cat' }, signal)
  const terminal = await terminalOf(world.sessions, record)
  const repair = await breakStore(world.store)
  terminal.resize({ cols: 50, rows: 10 })
  await vi.waitFor(() => expect(world.complaints.join()).toContain('the disk is full'), patience)
  await repair()
  terminal.resize({ cols: 60, rows: 10 })
  await vi.waitFor(async () => {
    expect((await world.sessions.find('resized')).size).toEqual({ cols: 60, rows: 10 })
  }, patience)
})

test.each([
  ['by a sweep', async ({ sessions }: UsedWorld) => sessions.sweeps?.[0]?.run()],
  [
    'when its status is requested',
    async ({ sessions }: UsedWorld) => void (await sessions.statusOf((await sessions.find('ends')).id)),
  ],
  [
    'when the session is killed',
    async ({ sessions }: UsedWorld) => void (await sessions.kill(await sessions.find('ends'), { remove: false })),
  ],
])('an end that could not be stored is stored later %s', async (_, tryAgain) => {
  const world = await useSqliteWorld()
  const { sessions } = world
  const { record } = await sessions.create({ name: 'ends', command: 'read -r _; exit 4' }, signal)
  const terminal = await terminalOf(sessions, record)
  const repair = await breakStore(world.store)
  terminal.write(Buffer.from('\r'))
  await vi.waitFor(() => expect(sessions.count).toBe(0), patience)
  expect(await sessions.statusOf(record.id)).toBe('running')
  expect(world.events.map(({ type }) => type)).not.toContain('session-ended')
  await repair()
  await tryAgain(world)
  await vi.waitFor(
    async () => expect(await sessions.find('ends')).toMatchObject({ status: 'failed', exitCode: 4 }),
    patience,
  )
  await vi.waitFor(() => expect(endsOf(world, record.id)).toHaveLength(1), patience)
})

test('a hub that stops while a program starts leaves it to the next hub', async () => {
  const gate = createGate()
  const world = await useSqliteWorld()
  const sessions = await world.restart({ terminals: slowTerminals(world, { before: gate.pass }) })
  const created = sessions.create({ name: 'handed-over', command: 'echo here; cat' }, signal)
  await gate.reached
  const stopped = sessions[Symbol.asyncDispose]()
  gate.open()
  await created
  await stopped
  expect(sessions.count).toBe(0)
  const next = await world.replace({ terminals: world.openTerminals() })
  expect(await next.find('handed-over')).toMatchObject({ status: 'running' })
})

test('a hub that is stopping starts no job', async () => {
  const world = await useSqliteWorld([], { jobConcurrency: 0 })
  const stopped = world.start(world.store, { jobConcurrency: 1 })
  await world.sessions.enqueue({ name: 'waits', template: 'script', command: 'true' }, 0)
  await stopped[Symbol.asyncDispose]()
  await stopped.jobs.next()
  expect((await world.sessions.find('waits')).status).toBe('queued')
})

const failing: readonly (readonly [string, Partial<SessionsOptions>])[] = [
  [
    'the token cannot be revoked',
    { tokens: { issue: async ({ id }) => ({ id, text: '' }), revoke: () => Promise.reject(new Error('no')) } },
  ],
  [
    'the end of a job cannot be signalled',
    {
      signals: {
        emit() {
          throw new Error('no')
        },
      },
    },
  ],
]

test.each(failing)('the next job starts even if %s', async (_, broken) => {
  const { sessions } = await useSqliteWorld([], { ...broken, jobConcurrency: 1 })
  for (const name of ['one', 'two', 'three']) await sessions.enqueue({ name, template: 'script', command: 'true' }, 0)
  await vi.waitFor(async () => {
    const ends = (await sessions.list({})).map(({ status, lastMessage }) => lastMessage ?? status)
    expect(ends).toEqual(['completed', 'completed', 'completed'])
  }, patience)
})

test('a job can be cancelled while it starts, and the next one starts instead', async () => {
  const gate = createGate()
  const world = await useSqliteWorld()
  const sessions = await world.restart({ jobConcurrency: 1, terminals: slowTerminals(world, { before: gate.pass }) })
  const first = await sessions.enqueue({ name: 'first', template: 'script', command: 'sleep 1000' }, 0)
  await sessions.enqueue({ name: 'second', template: 'script', command: 'exit 0' }, 0)
  await gate.reached
  const cancelled = sessions.kill(first, { remove: false })
  await vi.waitFor(async () => expect((await sessions.find('first')).isStopAsked).toBe(true), patience)
  gate.open()
  expect(await sessions.jobs.describe(await cancelled)).toMatchObject({ status: 'cancelled' })
  await vi.waitFor(async () => expect((await sessions.find('second')).status).toBe('completed'), patience)
})

test('a cancelled queued job has one event session-ended', async () => {
  const world = await useSqliteWorld([], { jobConcurrency: 0 })
  const { sessions } = world
  const record = await sessions.enqueue({ name: 'waits', template: 'script', command: 'true' }, 0)
  const both = await Promise.all([sessions.kill(record, { remove: false }), sessions.kill(record, { remove: false })])
  expect(both.map(({ status }) => status)).toEqual(['stopped', 'stopped'])
  expect(endsOf(world, record.id)).toMatchObject([{ payload: { status: 'stopped' } }])
})

test('a session can be removed while its terminal is being opened', async () => {
  const world = await useSqliteWorld()
  const { record } = await world.sessions.create({ name: 'read', command: 'cat' }, signal)
  await world.sessions.kill(record, { remove: false })
  const sessions = await world.restart()
  const reading = Promise.allSettled([1, 2, 3].map(() => terminalOf(sessions, record)))
  await sessions.kill(await sessions.find('read'), { remove: true })
  await reading
  await expect(sessions.find('read')).rejects.toThrow(/no session "read"/)
  await expect(sessions.update(record, { labels: ['x'] })).rejects.toThrow(/no session/)
})
