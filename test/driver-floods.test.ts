/** Programs that ask without end, in all three protocols. People and other sessions must not notice. */
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LoggedEvent } from '../src/api/event.ts'
import { until } from './fixtures/until.ts'
import type { Dialect, FloodedHub } from './worlds/flooded-hub.ts'
import { openFloodedHub } from './worlds/flooded-hub.ts'

const dialects: readonly Dialect[] = ['claude', 'acp', 'codex']
const patient = { timeout: 120_000 }

let world: FloodedHub
beforeAll(async () => {
  // A full journal pauses the programs, which saves the processor for the hub.
  world = await openFloodedHub({ SIGNALBOX_JOURNAL_MAX_MB: '16' })
  for (const dialect of dialects) await world.flood(dialect, dialect, 'calls')
}, 120_000)
afterAll(() => world[Symbol.asyncDispose]())

const eventCount = async () => Number((await world.call('hub_status', {}))['events'])

/** Resolves when the hub has decided more calls of the floods. */
async function floodGoesOn(): Promise<void> {
  const before = await eventCount()
  await until(async () => (await eventCount()) > before + 20)
}

async function eventsOf(session: string, type: string): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = []
  for (let cursor = '0'; ;) {
    const page = await world.call('query_events', { session, type, cursor, limit: 1_000 })
    const events = page['events'] as LoggedEvent[]
    found.push(...events)
    if (events.length === 0) return found
    cursor = String(page['next_cursor'])
  }
}

test('the approvals of each flood are limited, and calls beyond that are refused', patient, async () => {
  for (const dialect of dialects) {
    await until(async () => (await world.pendingOf(dialect)).length === 100)
  }
  await floodGoesOn()
  for (const dialect of dialects) {
    expect(await world.pendingOf(dialect)).toHaveLength(100)
    const failures = (await eventsOf(dialect, 'tool-answered')).map(({ payload }) => JSON.stringify(payload))
    expect(failures.some((text) => text.includes('calls of this session wait for a person already'))).toBe(true)
  }
})

test('the approval of another session is answered while they run', patient, async () => {
  const { id } = await world.nextApproval()
  await world.call('decide_approval', { id, decision: 'approve' })
  await floodGoesOn()
})

test('a person ends a flood while it runs, and no call of it is left without an outcome', patient, async () => {
  const { status } = await world.call('kill_session', { name: 'claude' })
  expect(status).toBe('stopped')
  expect(await world.pendingOf('claude')).toEqual([])
  await floodGoesOn()
  const called = (await eventsOf('claude', 'tool-called')).map(({ id }) => id)
  await until(async () => {
    const answered = new Set((await eventsOf('claude', 'tool-answered')).map(({ parent }) => parent))
    return called.every((id) => answered.has(id))
  })
})

test('with a locked event log, a person looks, denies, revokes and ends a flood', patient, async () => {
  const { id: token } = await world.call('issue_token', { role: 'human', label: 'to be revoked' })
  const [open] = await world.pendingOf('acp')
  const other = new DatabaseSync(join(world.home, 'events.db'))
  other.exec('begin immediate')
  try {
    expect(await world.call('get_session', { name: 'acp' })).toMatchObject({ status: 'running' })
    expect(await world.call('query_events', { session: 'acp', limit: 1 })).toMatchObject({ events: [{}] })
    await world.call('decide_approval', { id: open!.id, decision: 'deny' })
    await world.call('revoke_token', { id: token })
    expect(await world.call('kill_session', { name: 'acp' })).toMatchObject({ status: 'stopped' })
    // The lock was there all the time.
    expect(other.isTransaction).toBe(true)
  } finally {
    other.exec('rollback')
    other.close()
  }
  await floodGoesOn()
  const decided = await until(async () =>
    (await eventsOf('acp', 'approval-decided')).find(({ payload }) => payload['approval'] === open!.id),
  )
  expect(decided.payload).toMatchObject({ status: 'denied' })
})

test('SIGTERM ends the hub while a flood runs', patient, async () => {
  await floodGoesOn()
  expect(await world.hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
})
