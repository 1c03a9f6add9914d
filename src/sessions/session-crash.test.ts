/** A hub that is killed in the middle of its work, and the next hub. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createGate } from '../../test/fixtures/gate.ts'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { Terminals } from '../terminal/terminal.ts'
import { terminalOf } from './session-output.ts'

const { signal } = new AbortController()
const patience = { timeout: 60_000 }
const lateHolderMs = 500

/** A hub that hangs forever just before or just after it starts a program. */
async function useKilledHub(moment: 'before-start' | 'after-start', options: { jobConcurrency?: number } = {}) {
  const gate = createGate()
  const world = await useSqliteWorld()
  const terminals = world.openTerminals()
  const start: Terminals['start'] = async (...args) => {
    if (moment === 'after-start') (await terminals.start(...args)).release()
    await gate.pass()
    throw new Error('the gate must stay closed')
  }
  const killed = world.start(world.store, { ...options, terminals: { ...terminals, start } })
  const next = () => world.replace({ ...options, lateHolderMs })
  return { ...world, killed, isKilled: gate.reached, next }
}

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type)

test('a session whose hub was killed before it started the program fails, says so, and loses its token', async () => {
  const { killed, isKilled, next, revoked, events } = await useKilledHub('before-start')
  void killed.create({ name: 'never', command: 'cat' }, signal)
  await isKilled
  const sessions = await next()
  await vi.waitFor(async () => {
    expect(await sessions.find('never')).toMatchObject({
      status: 'failed',
      lastMessage: expect.stringContaining('killed before it started the program'),
    })
  }, patience)
  expect(revoked).toHaveLength(1)
  await vi.waitFor(() => expect(typesOf(events)).toEqual(['session-created', 'session-ended']), patience)
})

test('a session whose hub was killed just after it started the program is adopted, and its start is recorded', async () => {
  const { killed, isKilled, next, revoked, events } = await useKilledHub('after-start')
  void killed.create({ name: 'just', command: 'cat' }, signal)
  await isKilled
  const sessions = await next()
  expect(await sessions.find('just')).toMatchObject({ status: 'running', startedAt: expect.any(String) })
  expect(typesOf(events)).toEqual(['session-created', 'session-started'])
  expect(revoked).toEqual([])
})

test('a job that had not started returns to the queue and gets another token', async () => {
  const { killed, isKilled, next, issued, revoked, events } = await useKilledHub('before-start')
  const { id } = await killed.enqueue({ name: 'again', template: 'script', command: 'exit 3' }, 0)
  await isKilled
  const sessions = await next()
  await vi.waitFor(async () => expect(await sessions.find('again')).toMatchObject({ id, exitCode: 3 }), patience)
  expect(issued).toHaveLength(2)
  await vi.waitFor(() => expect(revoked).toHaveLength(2), patience)
  await vi.waitFor(() => expect(typesOf(events)).toEqual(['job-queued', 'session-started', 'session-ended']), patience)
})

test('a job that is cancelled while the next hub looks for it does not start', async () => {
  const { killed, isKilled, next, home } = await useKilledHub('before-start')
  await killed.enqueue({ name: 'unwanted', template: 'script', command: `touch ${home}/begun` }, 0)
  await isKilled
  const sessions = await next()
  const ended = await sessions.kill(await sessions.find('unwanted'), { remove: false })
  expect(ended).toMatchObject({ status: 'stopped', startedAt: undefined })
  expect(await sessions.jobs.list({ limit: 10 })).toMatchObject({ jobs: [{ status: 'cancelled' }] })
  expect(existsSync(join(home, 'begun'))).toBe(false)
})

test('a hub that stops while it looks for a session leaves the session to the next hub', async () => {
  const { killed, isKilled, next, restart } = await useKilledHub('before-start')
  void killed.create({ name: 'looked-for', command: 'cat' }, signal)
  await isKilled
  await next()
  const sessions = await restart({ lateHolderMs: 60_000 })
  expect(await sessions.find('looked-for')).toMatchObject({ status: 'starting' })
})

test('the next hub ends a queued job whose cancellation was stored before the hub was killed', async () => {
  const { killed, next, store } = await useKilledHub('before-start', { jobConcurrency: 0 })
  const { id } = await killed.enqueue({ name: 'waits', template: 'script', command: 'true' }, 0)
  await store.db.updateTable('sessions').set({ is_stop_asked: 1 }).where('id', '=', id).execute()
  expect(await (await next()).find('waits')).toMatchObject({ status: 'stopped' })
})

test('a job that ran and whose files are gone fails and does not run again', async () => {
  const world = await useSqliteWorld([], { lateHolderMs })
  const command = `echo x >> ${world.home}/runs; read -r _`
  const { id } = await world.sessions.enqueue({ name: 'lost', template: 'script', command }, 0)
  await vi.waitFor(async () => expect((await world.sessions.find('lost')).status).toBe('running'), patience)
  const terminal = await terminalOf(world.sessions, await world.sessions.find('lost'))
  await world.sessions[Symbol.asyncDispose]()
  const { status } = terminal
  if (status.is === 'running') for (const pid of [status.holderPid, status.pid]) process.kill(pid, 'SIGKILL')
  rmSync(join(world.home, 'sessions', id), { recursive: true })
  const sessions = await world.replace()
  expect(await sessions.find('lost')).toMatchObject({ status: 'failed', lastMessage: expect.stringMatching(/gone/) })
  expect(await sessions.jobs.list({ status: 'queued', limit: 10 })).toMatchObject({ jobs: [] })
})
