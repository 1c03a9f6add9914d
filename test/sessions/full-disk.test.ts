import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { modern, modernStream } from '../http/modern-request.ts'
import { patience } from '../worlds/own-hub.ts'
import { limiter, outliveFullDisk, setFull } from '../soak/full-disk.ts'
import { callTool } from '../harness/modern-call.ts'
import { startGateWorld } from '../worlds/gate-world.ts'
import { failureOf, screenOf, sessionOf, start, startSessionHub } from '../worlds/session-hub.ts'

limiter.describe('a full disk', () => {
  test('does not stop a session: its output is shown, the loss is reported, and recording resumes', async () => {
    await outliveFullDisk({ sessions: 2 })
  })

  test('does not stop the hub: reads work, writes are refused, and everything works once there is room', async () => {
    await using hub = await startSessionHub()
    await start(hub, 'bystander', 'echo here; cat', { wait: { for: 'text', value: 'here' } })
    await setFull(hub.process.pid!, true)
    const asked = { name: 'create_session', arguments: { name: 'too-many', command: 'cat' } }
    const { body } = await modern(hub, 'tools/call', asked)
    expect(body).toMatchObject({ error: { code: -32001, message: expect.stringMatching(/space left/) } })
    expect(await screenOf(hub, 'bystander')).toBe('here')
    expect(await sessionOf(hub, 'bystander')).toMatchObject({ status: 'running' })
    expect(hub.process.exitCode).toBe(null)

    await setFull(hub.process.pid!, false)
    await start(hub, 'again', 'cat')
    await hub.call('send_text', { session: 'bystander', text: 'and now\r' })
    await hub.call('wait_for', { session: 'bystander', for: 'text', value: 'and now' })
  })

  test('does not keep a token alive: a revocation takes effect at once and is stored when there is room', async () => {
    await using hub = await startSessionHub()
    const { token, id } = await hub.call('issue_token', { role: 'human' })
    const withIt = { port: hub.port, token: String(token) }
    expect((await modern(withIt, 'tools/list')).status).toBe(200)
    using stream = await modernStream(withIt, 'subscriptions/listen', { notifications: { toolsListChanged: true } })

    await setFull(hub.process.pid!, true)
    for (const _ of ['first', 'again']) {
      expect(await failureOf(hub, 'revoke_token', { id })).toMatch(/is revoked from now on, but .* could not be stored/)
    }
    expect((await modern(withIt, 'tools/list')).status).toBe(401)
    await stream.ended

    await setFull(hub.process.pid!, false)
    await expect.poll(() => revokedInStore(hub.home, String(id)), patience).toBe(true)
    await hub.restart('SIGKILL')
    expect((await modern(withIt, 'tools/list')).status).toBe(401)
    expect(await hub.call('revoke_token', { id })).toMatchObject({ id })
  })

  test('keeps a denied call held until the answer can be stored, and says so', async () => {
    await using world = await startGateWorld()
    await world.setPolicy('rules: [{ ask: "terminal_*" }]')
    const asked = callTool(world.agent, 'terminal_send_text', { text: 'no\r' }).catch(String)
    const id = await world.pending()
    await setFull(world.process.pid!, true)
    expect(await world.decide(id, 'deny')).toMatch(/Nothing has changed, because it could not be stored/)
    expect(await world.call('list_approvals')).toMatchObject({ approvals: [{ id, status: 'pending' }] })
    await setFull(world.process.pid!, false)
    expect(await world.decide(id, 'deny')).toContain('denied')
    expect(await asked).toContain('A person denied terminal_send_text')
    expect(await world.typed()).toEqual([])
  })

  test('lets a person interrupt and kill a program, and the log later counts the missing calls', async () => {
    await using hub = await startSessionHub()
    const trapping = "trap 'echo interrupted' INT; echo here; while :; do sleep 0.1; done"
    await start(hub, 'runaway', trapping, { wait: { for: 'text', value: 'here' } })
    await start(hub, 'other', 'cat')
    await setFull(hub.process.pid!, true)
    await hub.call('send_keys', { session: 'runaway', keys: 'Ctrl+c' })
    await hub.call('wait_for', { session: 'runaway', for: 'text', value: 'interrupted' })
    expect(await failureOf(hub, 'kill_session', { name: 'runaway' })).toMatch(
      /^The program of "runaway" has ended, but the hub could not store that/,
    )
    expect(await hub.call('get_pty_info', { session: 'runaway' })).toMatchObject({ running: false })

    await setFull(hub.process.pid!, false)
    expect(await hub.call('kill_session', { name: 'runaway' })).toMatchObject({ name: 'runaway', status: 'stopped' })
    await hub.call('kill_session', { name: 'other' })
    // The outcome of the last call before the disk was full may be missing too; an event of its own counts it.
    expect(await hub.call('query_events', { type: 'calls-unrecorded' })).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ payload: { calls: 2 } })]),
    })
  })
})

function revokedInStore(home: string, id: string): boolean {
  using database = new DatabaseSync(join(home, 'hub.db'), { readOnly: true })
  const row = database.prepare('select revoked_at from tokens where id = ?').get(id)
  return typeof row?.['revoked_at'] === 'string'
}
