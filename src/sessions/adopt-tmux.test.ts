import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createWorld } from '../../test/worlds/session-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { reapHolders } from '../../test/harness/reap-holders.ts'
import { tmux, tmuxServer } from '../../test/fixtures/tmux-server.ts'
import { openStore } from '../store/store.ts'
import type { SessionRecord, Sessions } from './sessions.ts'
import { terminalOf } from './session-output.ts'

const { signal } = new AbortController()

tmux.describe('sessions in tmux', () => {
  async function begin({ path = '/usr/bin:/bin', templates = [] as readonly Record<string, unknown>[] } = {}) {
    const server = tmuxServer()
    const world = createWorld([
      { name: 'in-tmux', backend: 'tmux', command: 'echo "$SIGNALBOX_TOKEN"; cat' },
      ...templates,
    ])
    const store = await openStore({ sqliteDir: temporaryDirectory() })
    const environment = {
      forPrograms: async () => ({ ...server.access.env, PATH: path }),
      passedOn: () => ({ TMUX_TMPDIR: server.access.env['TMUX_TMPDIR']! }),
    }
    let last: Sessions = world.start(store, { environment })
    onTestFinished(async () => {
      await server.run('kill-server').catch(() => {})
      await vi.waitFor(async () => expect(await last.list({ statuses: ['starting', 'running'] })).toEqual([]), 60_000)
      await reapHolders(world.home)
      await last[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      rmSync(world.home, { recursive: true, force: true })
    })
    async function restart(): Promise<Sessions> {
      await last[Symbol.asyncDispose]()
      last = world.start(store, { environment })
      await last.restore()
      return last
    }
    return { ...world, server, sessions: last, restart }
  }

  async function shows(sessions: Sessions, record: SessionRecord, text: string): Promise<void> {
    const terminal = await terminalOf(sessions, record)
    await vi.waitFor(() => expect(terminal.screen.text()).toContain(text), 60_000)
  }

  test('a session of a tmux template runs in tmux, survives the hub, and can be killed', async () => {
    const { sessions, server, restart, revoked } = await begin()
    const { record } = await sessions.create({ name: 'mine', template: 'in-tmux' }, signal)
    await shows(sessions, record, `secret-of-${record.id}`)
    expect(await server.run('list-sessions', '-F', '#{session_name}')).toBe('mine')
    const next = await restart()
    const terminal = await terminalOf(next, await next.find('mine'))
    terminal.write(Buffer.from('typed\r'))
    await shows(next, record, 'typed\ntyped')
    await next.kill(await next.find('mine'), { remove: false })
    expect(await next.find('mine')).toMatchObject({ status: 'stopped', backend: 'tmux' })
    await vi.waitFor(() => expect(revoked).toEqual([`token-${record.id}`]), 60_000)
  })

  test('a program that already runs in tmux is adopted with its screen, and cannot be adopted twice', async () => {
    const { sessions, server, home } = await begin()
    await server.run('new-session', '-d', '-s', 'My Work', '-c', home, '/bin/sh', '-c', 'echo before; cat')
    const record = await sessions.adopt({ target: 'My Work' })
    expect(record).toMatchObject({ name: 'my-work', backend: 'tmux', status: 'running', workspacePath: home })
    await shows(sessions, record, 'before')
    await expect(sessions.adopt({ target: 'My Work', name: 'again' })).rejects.toThrow(
      /the hub already has .*, as the session "my-work"/,
    )
    await sessions.kill(record, { remove: true })
    await expect(sessions.find('my-work')).rejects.toThrow(/no session/)
  })

  test('an adopted agent is not governed, until the pane runs something else', async () => {
    const { sessions, server, home } = await begin()
    writeFileSync(join(home, 'codex'), '#!/bin/sh\necho "I am Codex"\nread -r line\n', { mode: 0o755 })
    await server.run('new-session', '-d', '-s', 'agent', '-c', home, '/bin/sh', '-c', './codex; echo over; cat')
    const record = await sessions.adopt({ target: 'agent' })
    const governed = () => sessions.describe(record).governed
    await vi.waitFor(() => expect(governed()).toMatchObject({ is: 'no' }), 60_000)
    expect(governed()?.reason).toContain('signalbox new --template codex')
    const terminal = await terminalOf(sessions, record)
    terminal.write(Buffer.from('\r'))
    await vi.waitFor(() => expect(governed()).toBeUndefined(), 60_000)
  })

  test('a program whose holder was killed can be adopted again', async () => {
    const { sessions, server } = await begin()
    await server.run('new-session', '-d', '-s', 'work', '/bin/sh', '-c', 'echo before; cat')
    const first = await sessions.adopt({ target: 'work' })
    const { status } = await terminalOf(sessions, first)
    if (status.is === 'running') process.kill(status.holderPid, 'SIGKILL')
    await vi.waitFor(async () => expect((await sessions.find(first.id)).status).toBe('failed'), 60_000)
    const second = await sessions.adopt({ target: 'work' })
    expect(second.id).not.toBe(first.id)
    await shows(sessions, second, 'before')
  })

  test('a session whose pane tmux closes fails and says why', async () => {
    const { sessions, server } = await begin()
    await server.run('new-session', '-d', '-s', 'work', 'cat')
    await sessions.adopt({ target: 'work' })
    await server.run('kill-server')
    await vi.waitFor(
      async () =>
        expect(await sessions.find('work')).toMatchObject({
          status: 'failed',
          lastMessage: 'Its pane in tmux was closed, or the tmux server ended.',
        }),
      10_000,
    )
  })

  test('a target that cannot be adopted gives a helpful error and leaves nothing behind', async () => {
    const { sessions, server } = await begin()
    await expect(sessions.adopt({ target: 'work' })).rejects.toThrow(/there is no tmux session/)
    await server.run('new-session', '-d', '-s', 'other', 'cat')
    await expect(sessions.adopt({ target: 'nothing' })).rejects.toThrow(
      /tmux has no nothing, or more than one.* Its panes are other:0.0\./,
    )
    await server.run('pipe-pane', '-t', 'other', 'cat > /dev/null')
    await expect(sessions.adopt({ target: 'other' })).rejects.toThrow(/"tmux pipe-pane -t other"/)
    expect(await sessions.list({})).toEqual([])
  })

  test('the error says so if tmux is not installed', async () => {
    const { sessions } = await begin({ path: join(temporaryDirectory(), 'empty') })
    await expect(sessions.adopt({ target: 'work' })).rejects.toThrow(/tmux is not installed/)
  })

  test('a program of another tmux server can be adopted and released, and keeps running there', async () => {
    const { sessions, server, restart } = await begin({ templates: [{ name: 'agent', command: 'agent' }] })
    const other = (...words: string[]) => server.run('-L', 'other', ...words)
    await other('new-session', '-d', '-s', 'work', 'cat')
    onTestFinished(async () => void (await other('kill-server').catch(() => {})))
    await expect(sessions.adopt({ target: 'work' })).rejects.toThrow(/there is no tmux session/)
    await expect(sessions.adopt({ target: 'work', template: 'none' })).rejects.toThrow(/no template "none"/)
    const at = { flag: '-L', value: 'other' } as const
    const record = await sessions.adopt({ target: 'work', template: 'agent', server: at })
    expect(record).toMatchObject({ name: 'work', template: 'agent', backend: 'tmux', status: 'running' })
    const terminal = await terminalOf(sessions, record)
    terminal.write(Buffer.from('before\r'))
    await shows(sessions, record, 'before\nbefore')
    const pid = await other('display-message', '-p', '-t', 'work', '#{pane_pid}')

    const next = await restart()
    const released = await next.release(await next.find('work'))
    expect(released).toMatchObject({
      status: 'completed',
      lastMessage: 'It was released. Its program keeps running in tmux.',
    })
    expect(released.exitCode).toBeUndefined()
    const state = '#{pane_pid} #{pane_pipe} #{remain-on-exit} [#{@signalbox_session}]'
    expect(await other('display-message', '-p', '-t', 'work', state)).toBe(`${pid} 0 off []`)
    expect(await other('show-hooks', '-p', '-t', 'work')).not.toContain('run-shell')
    await other('send-keys', '-t', 'work', 'after', 'Enter')
    await vi.waitFor(
      async () => expect(await other('capture-pane', '-p', '-t', 'work')).toContain('after\nafter'),
      10_000,
    )
    await expect(next.release(released)).rejects.toThrow(/has ended/)

    const again = await next.adopt({ target: 'work', server: { flag: '-S', value: await socketOf(other) } })
    await shows(next, again, 'after\nafter')
    await next.release(again)
  })

  test('a session in a terminal of the hub cannot be released', async () => {
    const { sessions } = await begin()
    const { record } = await sessions.create({ name: 'own', command: 'cat' }, signal)
    await expect(sessions.release(record)).rejects.toThrow(/Only a session in tmux can be released/)
    await sessions.kill(record, { remove: false })
  })

  const socketOf = (run: (...words: string[]) => Promise<string>) => run('display-message', '-p', '#{socket_path}')
})
