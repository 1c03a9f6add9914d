import { expect, test } from 'vitest'
import { modern } from '../http/modern-request.ts'
import { limiter, outliveFullDisk, setFull } from '../soak/full-disk.ts'
import { screenOf, sessionOf, start, startSessionHub } from './session-hub.ts'

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
})
