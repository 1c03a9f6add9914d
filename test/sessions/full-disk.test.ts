import { expect, test } from 'vitest'
import { modern } from '../http/modern-request.ts'
import { limiter, outliveFullDisk, setFull } from '../soak/full-disk.ts'
import { failureOf, screenOf, sessionOf, start, startSessionHub } from './session-hub.ts'

limiter.describe('a full disk', () => {
  test('does not stop a session: it is shown, the person is told, and it is kept again once there is room', async () => {
    await outliveFullDisk({ sessions: 2 })
  })

  test('does not fell the hub: what can be read can be read, what cannot be kept is refused, and then all is well', async () => {
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

  test('keeps nobody from interrupting a program and ending it, and what that leaves out of the log is told', async () => {
    await using hub = await startSessionHub()
    const trapping = "trap 'echo interrupted' INT; echo here; while :; do sleep 0.1; done"
    await start(hub, 'runaway', trapping, { wait: { for: 'text', value: 'here' } })
    await start(hub, 'other', 'cat')
    await setFull(hub.process.pid!, true)
    await hub.call('send_keys', { session: 'runaway', keys: 'Ctrl+c' })
    await hub.call('wait_for', { session: 'runaway', for: 'text', value: 'interrupted' })
    expect(await failureOf(hub, 'kill_session', { name: 'runaway' })).toMatch(
      /^The program of "runaway" has been ended, but that could not be stored/,
    )
    expect(await hub.call('get_pty_info', { session: 'runaway' })).toMatchObject({ running: false })

    await setFull(hub.process.pid!, false)
    expect(await hub.call('kill_session', { name: 'runaway' })).toMatchObject({ name: 'runaway', status: 'stopped' })
    await hub.call('kill_session', { name: 'other' })
    expect(await hub.call('query_events', { type: 'calls-unrecorded' })).toMatchObject({
      events: [{ payload: { calls: 2 } }],
    })
  })
})
