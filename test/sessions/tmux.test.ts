/** A person's tmux session under a real hub. */
import { expect, test, vi } from 'vitest'
import { tmux, tmuxServer } from '../fixtures/tmux-server.ts'
import { failureOf, screenOf, sessionOf, startSessionHub } from '../worlds/session-hub.ts'

tmux.describe('adopt_session', () => {
  test('adopts a program in tmux, and the next hub adopts it again', async () => {
    const server = tmuxServer()
    await server.run('new-session', '-d', '-s', 'work', '/bin/sh', '-c', 'echo before; cat')
    await using hub = await startSessionHub({ TMUX_TMPDIR: server.access.env['TMUX_TMPDIR']! })
    expect(await hub.call('adopt_session', { target: 'work', name: 'mine' })).toMatchObject({
      name: 'mine',
      status: 'running',
    })
    await vi.waitFor(async () => expect(await screenOf(hub, 'mine')).toBe('before'), 60_000)
    expect(await failureOf(hub, 'adopt_session', { target: 'work' })).toContain('as the session "mine"')
    await hub.restart('SIGKILL')
    await hub.call('send_input', { name: 'mine', text: 'after' })
    await vi.waitFor(async () => expect(await screenOf(hub, 'mine')).toBe('before\nafter\nafter'), 60_000)
    await hub.call('kill_session', { name: 'mine' })
    expect(await sessionOf(hub, 'mine')).toMatchObject({ status: 'stopped' })
  })
})
