/** The hub never gives up a living program: its record may be lost or wrong, or its holder unreachable for a while. */
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { useSqliteWorld } from '../../test/worlds/session-world.ts'
import type { SessionRecord, Sessions } from './sessions.ts'
import { terminalOf } from './session-output.ts'

const { signal } = new AbortController()
const patience = { timeout: 60_000 }

async function typeAndSee(sessions: Sessions, record: SessionRecord): Promise<void> {
  const terminal = await terminalOf(sessions, record)
  terminal.write(Buffer.from('hello\r'))
  await vi.waitFor(() => expect(terminal.screen.text()).toContain('heard hello'), patience)
}

const command = 'while read -r line; do echo "heard $line"; done'

test('a program whose record is lost becomes a session again and says what happened', async () => {
  const { sessions, store, restart, events } = await useSqliteWorld()
  const { record } = await sessions.create({ name: 'mine', command }, signal)
  await store.db.deleteFrom('sessions').execute()
  const next = await restart()
  const [found] = await next.list({})
  expect(found).toMatchObject({
    id: record.id,
    name: `found-${record.id.slice(-6)}`,
    status: 'running',
    command: 'sh',
    workspacePath: record.workspacePath,
    description: expect.stringContaining('record was lost'),
  })
  expect(events.at(-1)).toMatchObject({ type: 'session-found', session: record.id })
  await typeAndSee(next, found!)
  await next.kill(found!, { remove: false })
  expect(await next.find(record.id)).toMatchObject({ status: 'stopped' })
})

test('a living session that is recorded as ended, or as of another hub, is adopted under its name', async () => {
  const { sessions, store, restart } = await useSqliteWorld()
  const { record: ended } = await sessions.create({ name: 'ended', command }, signal)
  const { record: others } = await sessions.create({ name: 'others', command }, signal)
  const change = (id: string, values: object) => store.db.updateTable('sessions').set(values).where('id', '=', id)
  await change(ended.id, { status: 'failed', ended_at: '2020-01-01T00:00:00.000Z' }).execute()
  await change(others.id, { hub_id: 'the key before' }).execute()
  const next = await restart()
  for (const { name } of [ended, others]) {
    const found = await next.find(name)
    expect(found).toMatchObject({ status: 'running', hubId: 'hub-1', endedAt: undefined })
    await typeAndSee(next, found)
  }
})

test('the hub logs an error if it cannot look for sockets or programs', async () => {
  const { sessions, store, home, restart, complaints } = await useSqliteWorld()
  const { record } = await sessions.create({ name: 'mine', command }, signal)
  await store.db.deleteFrom('sessions').execute()
  const run = join(home, 'run')
  await whileUnreadable(run, restart)
  expect(complaints.join()).toMatch(/could not adopt a program without a record/)
  await whileUnreadable(join(home, 'sessions'), restart)
  expect(complaints.join()).toMatch(/could not look for programs without a record/)
  expect(await (await restart()).list({})).toMatchObject([{ id: record.id, status: 'running' }])
})

/** Reading the path fails with ELOOP. */
async function whileUnreadable(path: string, work: () => Promise<unknown>): Promise<void> {
  renameSync(path, `${path}.moved`)
  symlinkSync(path, path)
  await work()
  rmSync(path)
  renameSync(`${path}.moved`, path)
}

test('a socket that a killed holder left behind does not count as a living program', async () => {
  const { sessions, store, home, restart } = await useSqliteWorld()
  const { record: kept } = await sessions.create({ name: 'kept', command }, signal)
  const { record: lost } = await sessions.create({ name: 'lost', command }, signal)
  for (const record of [kept, lost]) {
    const { status } = await terminalOf(sessions, record)
    if (status.is === 'running') process.kill(status.holderPid, 'SIGKILL')
    await vi.waitFor(async () => expect((await sessions.find(record.id)).status).toBe('failed'), patience)
    expect(existsSync(join(home, 'run', `${record.id}.sock`))).toBe(true)
  }
  await store.db.deleteFrom('sessions').where('id', '=', lost.id).execute()
  expect(await (await restart()).list({})).toMatchObject([{ id: kept.id, status: 'failed' }])
})

test('a session whose holder cannot be reached keeps its record, and is adopted when the holder answers', async () => {
  const { sessions, home, restart } = await useSqliteWorld()
  const { record } = await sessions.create({ name: 'behind', command }, signal)
  const socket = join(home, 'run', `${record.id}.sock`)
  const moved = `${socket}.moved`
  renameSync(socket, moved)
  // The hub refuses a link, which is neither "no such file" nor "connection refused".
  symlinkSync(socket, socket)
  const next = await restart()
  expect(await next.find('behind')).toMatchObject({
    status: 'running',
    lastMessage: expect.stringMatching(/cannot reach its holder now: .* is not a socket\. The/),
  })
  renameSync(moved, socket)
  await vi.waitFor(async () => expect((await next.find('behind')).lastMessage).toBeUndefined(), patience)
  expect(next.count).toBe(1)
  await typeAndSee(next, record)
})
