import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createWorld } from '../../test/fixtures/session-world.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { reapHolders } from '../../test/harness/reap-holders.ts'
import { tmux, tmuxServer } from '../../test/fixtures/tmux-server.ts'
import { openStore } from '../store/store.ts'
import type { SessionRecord, Sessions } from './sessions.ts'

const { signal } = new AbortController()

tmux.describe('sessions in tmux', () => {
  async function begin({ path = '/usr/bin:/bin' } = {}) {
    const server = tmuxServer()
    const world = createWorld([{ name: 'in-tmux', backend: 'tmux', command: 'echo "$SIGNALBOX_TOKEN"; cat' }])
    const store = await openStore({ sqliteDir: temporaryDirectory() })
    const environment = {
      base: { ...server.access.env, PATH: path },
      passedOn: () => ({ TMUX_TMPDIR: server.access.env['TMUX_TMPDIR']! }),
    }
    let last: Sessions = world.start(store, { environment })
    onTestFinished(async () => {
      await server.run('kill-server').catch(() => {})
      await vi.waitFor(async () => expect(await last.list({ statuses: ['starting', 'running'] })).toEqual([]), 10_000)
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
    const terminal = await sessions.terminalOf(record)
    await vi.waitFor(() => expect(terminal.screen.text()).toContain(text), 20_000)
  }

  test('one of a template that says so lives there, outlives the hub, and is ended like any other', async () => {
    const { sessions, server, restart, revoked } = await begin()
    const { record } = await sessions.create({ name: 'mine', template: 'in-tmux' }, signal)
    await shows(sessions, record, `secret-of-${record.id}`)
    expect(await server.run('list-sessions', '-F', '#{session_name}')).toBe('mine')
    const next = await restart()
    const terminal = await next.terminalOf(await next.find('mine'))
    terminal.write(Buffer.from('typed\r'))
    await shows(next, record, 'typed\ntyped')
    await next.kill(await next.find('mine'), { remove: false })
    expect(await next.find('mine')).toMatchObject({ status: 'stopped', backend: 'tmux' })
    await vi.waitFor(() => expect(revoked).toEqual([`token-${record.id}`]))
  })

  test('one that runs there already is taken under the hub with what it shows, and is refused a second time', async () => {
    const { sessions, server, home } = await begin()
    await server.run('new-session', '-d', '-s', 'My Work', '-c', home, '/bin/sh', '-c', 'echo before; cat')
    const record = await sessions.adopt('My Work', undefined)
    expect(record).toMatchObject({ name: 'my-work', backend: 'tmux', status: 'running', workspacePath: home })
    await shows(sessions, record, 'before')
    await expect(sessions.adopt('My Work', 'again')).rejects.toThrow(/under the hub already, as the session "my-work"/)
    await sessions.kill(record, { remove: true })
    await expect(sessions.find('my-work')).rejects.toThrow(/no session/)
  })

  test('one whose holder was killed can be adopted again', async () => {
    const { sessions, server } = await begin()
    await server.run('new-session', '-d', '-s', 'work', '/bin/sh', '-c', 'echo before; cat')
    const first = await sessions.adopt('work', undefined)
    const { life } = await sessions.terminalOf(first)
    if (life.is === 'running') process.kill(life.holderPid, 'SIGKILL')
    await vi.waitFor(async () => expect((await sessions.find(first.id)).status).toBe('failed'), 10_000)
    const second = await sessions.adopt('work', undefined)
    expect(second.id).not.toBe(first.id)
    await shows(sessions, second, 'before')
  })

  test('one that tmux closes has failed, and why is told', async () => {
    const { sessions, server } = await begin()
    await server.run('new-session', '-d', '-s', 'work', 'cat')
    await sessions.adopt('work', undefined)
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

  test('what cannot be adopted says what would work, and leaves nothing behind', async () => {
    const { sessions, server } = await begin()
    await expect(sessions.adopt('work', undefined)).rejects.toThrow(/no tmux session runs/)
    await server.run('new-session', '-d', '-s', 'other', 'cat')
    await expect(sessions.adopt('nothing', undefined)).rejects.toThrow(
      /tmux has no nothing, or more than one.* its panes are other:0.0\./,
    )
    await server.run('pipe-pane', '-t', 'other', 'cat > /dev/null')
    await expect(sessions.adopt('other', undefined)).rejects.toThrow(/"tmux pipe-pane -t other"/)
    expect(await sessions.list({})).toEqual([])
  })

  test('without tmux it is said that it is missing', async () => {
    const { sessions } = await begin({ path: join(temporaryDirectory(), 'empty') })
    await expect(sessions.adopt('work', undefined)).rejects.toThrow(/tmux is not installed/)
  })
})
