import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { WorldOptions } from '../../test/worlds/session-world.ts'
import { addQueued, useSqliteWorld, useWorld } from '../../test/worlds/session-world.ts'
import type { SessionRecord, Sessions } from './sessions.ts'
import { terminalOf } from './session-output.ts'

const { signal } = new AbortController()

describeOnEachEngine('sessions', (open) => {
  const begin = async (options: WorldOptions = {}) => useWorld(await open(), [], options)

  test('a command runs in a terminal, and its output and exit code are kept', async () => {
    const { sessions, home } = await begin()
    await sessions.create({ name: 'hello', command: 'pwd; echo hello; exit 3' }, signal)
    const record = await ended(sessions, 'hello')
    expect(record).toMatchObject({ status: 'failed', exitCode: 3, lastMessage: 'It ended with exit code 3.' })
    expect(await screenOf(sessions, record)).toBe(`${join(home, 'workspaces', 'hello')}\nhello`)
  })

  test('a name is taken while its session lives and then free, and means the newest session', async () => {
    const { sessions } = await begin({ jobConcurrency: 0 })
    const first = await addQueued(sessions, 'one')
    await expect(sessions.create({ name: 'one', command: 'true' }, signal)).rejects.toThrow(/"one" is still alive/)
    await sessions.kill(first, { remove: false })
    const second = await addQueued(sessions, 'one')
    expect((await sessions.find('one')).id).toBe(second.id)
    expect((await sessions.find(first.id)).status).toBe('stopped')
  })

  test('a session named after the id of another does not hide it', async () => {
    const { sessions } = await begin({ jobConcurrency: 0 })
    const { id } = await addQueued(sessions, 'victim')
    const copy = await addQueued(sessions, id)
    expect((await sessions.find(id)).name).toBe('victim')
    expect((await sessions.kill(copy, { remove: false })).name).toBe(id)
    expect((await sessions.find('victim')).status).toBe('queued')
  })

  test('sessions survive the hub, and the next hub has their screens and can type', async () => {
    const { sessions, restart } = await begin()
    const { record } = await sessions.create({ name: 'long', command: 'echo before; cat' }, signal)
    await vi.waitFor(async () => expect(await screenOf(sessions, record)).toBe('before'), 60_000)
    const next = await restart()
    expect(await next.find('long')).toMatchObject({ status: 'running' })
    expect(await screenOf(next, record)).toBe('before')
    const terminal = await terminalOf(next, record)
    terminal.write(Buffer.from('after\r'))
    await vi.waitFor(async () => expect(await screenOf(next, record)).toBe('before\nafter\nafter'), 60_000)
  })

  test('the next hub records the end of a session that ended without a hub', async () => {
    const { sessions, home, restart } = await begin()
    await sessions.create({ name: 'gone', command: 'while [ ! -e end ]; do sleep 0.05; done; exit 7' }, signal)
    writeFileSync(join(home, 'workspaces', 'gone', 'end'), '')
    expect(await ended(await restart(), 'gone')).toMatchObject({ status: 'failed', exitCode: 7 })
  })

  test('removing a session deletes its record and journal, never its workspace', async () => {
    const { sessions, home } = await begin()
    const { record } = await sessions.create({ name: 'drop', command: 'touch kept; cat' }, signal)
    const kept = join(home, 'workspaces', 'drop', 'kept')
    await vi.waitFor(() => expect(existsSync(kept)).toBe(true), 60_000)
    await sessions.kill(record, { remove: true })
    await expect(sessions.find('drop')).rejects.toThrow(/no session "drop"/)
    expect(existsSync(join(home, 'sessions', record.id))).toBe(false)
    expect(existsSync(kept)).toBe(true)
  })

  test('jobs start by priority and then in order', async () => {
    const { sessions, home } = await begin()
    const shared = join(home, 'order')
    mkdirSync(join(home, 'workspaces'))
    const enqueue = (name: string, priority = 0) =>
      sessions.enqueue(
        {
          name,
          template: 'script',
          command: `echo ${name} >> ${shared}; while [ ! -e ${home}/go-${name} ]; do sleep 0.02; done`,
        },
        priority,
      )
    for (const name of ['first', 'second', 'third']) await enqueue(name)
    await enqueue('urgent', 5)
    const waiting = await sessions.jobs.list({ status: 'queued', limit: 10 })
    expect(waiting.jobs.map(({ session, position }) => [session, position])).toEqual([
      ['urgent', 0],
      ['third', 1],
    ])
    // Two run at once. The second ends only after the test has seen which job replaced the first.
    for (const name of ['first', 'urgent', 'second', 'third']) {
      await vi.waitFor(() => expect(readFileSync(shared, 'utf8')).toContain(name), 60_000)
      writeFileSync(join(home, `go-${name}`), '')
      await ended(sessions, name)
    }
    expect(readFileSync(shared, 'utf8').trim().split('\n').slice(2)).toEqual(['urgent', 'third'])
    const all = await sessions.jobs.list({ limit: 10 })
    expect(all.jobs.every(({ status, exit_code }) => status === 'completed' && exit_code === 0)).toBe(true)
  })

  test('a job can be cancelled while it is queued, while it runs and after it has ended', async () => {
    const { sessions } = await begin()
    const enqueue = (name: string, command: string) => sessions.enqueue({ name, template: 'script', command }, 0)
    await enqueue('quick', 'true')
    await ended(sessions, 'quick')
    for (const name of ['runs', 'runs-too', 'waits']) await enqueue(name, 'sleep 100')
    const cancel = async (name: string) => {
      const record = await sessions.find(name)
      return sessions.jobs.describe(await sessions.kill(record, { remove: false }))
    }
    expect(await cancel('waits')).toMatchObject({ status: 'cancelled' })
    expect((await sessions.find('waits')).startedAt).toBeUndefined()
    await vi.waitFor(async () => expect((await sessions.find('runs')).status).toBe('running'), 60_000)
    expect(await cancel('runs')).toMatchObject({ status: 'cancelled' })
    expect(await cancel('quick')).toMatchObject({ status: 'completed', exit_code: 0 })
  })

  test('the next hub starts queued jobs', async () => {
    const { sessions, home, restart } = await begin()
    for (const name of ['a', 'b', 'c']) {
      await sessions.enqueue({ name, template: 'script', command: `while [ ! -e ${home}/go ]; do sleep 0.02; done` }, 0)
    }
    const next = await restart()
    expect((await next.jobs.list({ status: 'queued', limit: 10 })).jobs).toHaveLength(1)
    writeFileSync(join(home, 'go'), '')
    for (const name of ['a', 'b', 'c']) expect(await ended(next, name)).toMatchObject({ status: 'completed' })
  })
})

test('a command with arguments runs without a shell', async () => {
  const { sessions } = await useSqliteWorld()
  await sessions.create({ name: 'args', command: 'echo', args: ['$HOME', 'a  b'] }, signal)
  const record = await ended(sessions, 'args')
  expect(record).toMatchObject({ status: 'completed', exitCode: 0 })
  expect(await screenOf(sessions, record)).toBe('$HOME a  b')
})

test('the program gets its own token, which is revoked when the session ends', async () => {
  const { sessions, home, revoked } = await useSqliteWorld()
  const { record } = await sessions.create({ name: 'mine', command: 'env > env.txt; cat' }, signal)
  const file = join(home, 'workspaces', 'mine', 'env.txt')
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain(`SIGNALBOX_TOKEN=secret-of-${record.id}`), 60_000)
  expect(readFileSync(file, 'utf8')).toContain('SIGNALBOX_URL=http://127.0.0.1:1/mcp')
  expect(revoked).toEqual([])
  await sessions.kill(record, { remove: false })
  expect(await sessions.find('mine')).toMatchObject({ status: 'stopped' })
  await vi.waitFor(() => expect(revoked).toEqual([`token-${record.id}`]), 60_000)
})

test('a session that cannot be started gives a helpful error and leaves nothing behind', async () => {
  const { sessions } = await useSqliteWorld()
  const create = (spec: object) => sessions.create({ name: 'no', ...spec }, signal)
  await expect(create({ template: 'nothing' })).rejects.toThrow('no template "nothing"')
  await expect(create({ command: 'no-such-program', args: [] })).rejects.toThrow(
    /not installed, or not on the hub's PATH/,
  )
  await expect(create({ workingDir: '/no/such/directory' })).rejects.toThrow(/is not a directory/)
  await expect(create({ workingDir: 'relative' })).rejects.toThrow(/not an absolute path/)
  expect(await sessions.list({})).toEqual([])
})

test('a prompt is pasted unchanged when the program is ready', async () => {
  const { sessions, home } = await useSqliteWorld([
    { name: 'asker', command: 'printf "ready> "; tee taken.txt', prompt: { ready: '^ready>$', quiet_ms: 20 } },
  ])
  const text = '-n Enter C-c\ttab ✓ 🚀'
  const { prompt, record } = await sessions.create({ name: 'ask', template: 'asker', prompt: text }, signal)
  expect(prompt).toEqual({ delivered: true })
  const file = join(home, 'workspaces', 'ask', 'taken.txt')
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(`${text}\n`), 60_000)
  expect(record.status).toBe('running')
})

test('a prompt that the program does not take is reported, and the session keeps running', async () => {
  const { sessions } = await useSqliteWorld([
    { name: 'deaf', command: 'stty -echo; sleep 100', prompt: { quiet_ms: 0, fallback_ms: 100 } },
  ])
  const { prompt, record } = await sessions.create({ name: 'deaf', template: 'deaf', prompt: 'hello' }, signal)
  expect(prompt).toMatchObject({ delivered: false, reason: expect.stringContaining('the screen shows no answer') })
  expect(record).toMatchObject({ status: 'running', lastMessage: expect.stringContaining('not delivered') })
})

test('questions of the program are answered as in the template, each once', async () => {
  const script = 'printf "Trust this folder? "; read -r answer; echo "trusted:$answer"; printf "> "; cat'
  const { sessions } = await useSqliteWorld([
    {
      name: 'wary',
      command: script,
      questions: [{ shows: '^Trust this folder\\?$', keys: 'y Enter' }],
      prompt: { ready: '^>', quiet_ms: 20 },
    },
  ])
  const { record, prompt } = await sessions.create({ name: 'wary', template: 'wary', prompt: 'go' }, signal)
  expect(prompt).toEqual({ delivered: true })
  await vi.waitFor(async () => expect(await screenOf(sessions, record)).toContain('trusted:y\n> go\ngo'), 60_000)
})

async function screenOf(sessions: Sessions, record: SessionRecord): Promise<string> {
  const { screen } = await terminalOf(sessions, record)
  await screen.settled()
  return screen.text()
}

function ended(sessions: Sessions, name: string): Promise<SessionRecord> {
  return vi.waitFor(async () => {
    const record = await sessions.find(name)
    expect(record.endedAt).toBeDefined()
    return record
  }, 60_000)
}
