/** Programs whose records are lost, or wrong, and those that cannot be reached for a while: nothing that lives is given up. */
import { existsSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { useSqliteWorld } from '../../test/fixtures/session-world.ts'
import type { SessionRecord, Sessions } from './sessions.ts'

const { signal } = new AbortController()
const patience = { timeout: 20_000 }

async function typeAndSee(sessions: Sessions, record: SessionRecord): Promise<void> {
  const terminal = await sessions.terminalOf(record)
  terminal.write(Buffer.from('hello\r'))
  await vi.waitFor(() => expect(terminal.screen.text()).toContain('heard hello'), patience)
}

const command = 'while read -r line; do echo "heard $line"; done'

test('a program whose record is lost is a session again, and says what happened', async () => {
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

test('one that was taken for ended, or for that of another hub, is taken up again under its name', async () => {
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

test('a socket that a killed holder left behind is no sign of life', async () => {
  const { sessions, store, home, restart } = await useSqliteWorld()
  const { record: kept } = await sessions.create({ name: 'kept', command }, signal)
  const { record: lost } = await sessions.create({ name: 'lost', command }, signal)
  for (const record of [kept, lost]) {
    const { life } = await sessions.terminalOf(record)
    if (life.is === 'running') process.kill(life.holderPid, 'SIGKILL')
    await vi.waitFor(async () => expect((await sessions.find(record.id)).status).toBe('failed'), patience)
    expect(existsSync(join(home, 'run', `${record.id}.sock`))).toBe(true)
  }
  await store.db.deleteFrom('sessions').where('id', '=', lost.id).execute()
  expect(await (await restart()).list({})).toMatchObject([{ id: kept.id, status: 'failed' }])
})

test('one whose holder cannot be reached is left as it is, and adopted when it can be', async () => {
  const { sessions, home, restart } = await useSqliteWorld()
  const { record } = await sessions.create({ name: 'behind', command }, signal)
  const socket = join(home, 'run', `${record.id}.sock`)
  const moved = `${socket}.moved`
  renameSync(socket, moved)
  // Whoever connects to it hears ELOOP, which is neither "no such file" nor "nobody there".
  symlinkSync(socket, socket)
  const next = await restart()
  expect(await next.find('behind')).toMatchObject({
    status: 'running',
    lastMessage: expect.stringMatching(/cannot be reached now: .*ELOOP/),
  })
  renameSync(moved, socket)
  await vi.waitFor(async () => expect((await next.find('behind')).lastMessage).toBeUndefined(), patience)
  expect(next.count).toBe(1)
  await typeAndSee(next, record)
})
