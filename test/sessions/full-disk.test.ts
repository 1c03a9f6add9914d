/**
 * A disk that takes nothing any more. A process that may not make any file longer sees the same as on a full disk,
 * and that can be done to one process, and be undone, without being root.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { requires } from '../harness/requires.ts'
import { modern } from '../http/modern-request.ts'
import { patience } from '../http/own-hub.ts'
import { screenOf, sessionOf, start, startSessionHub } from './session-hub.ts'

const program = requires('prlimit')

program.describe('a full disk', () => {
  test('does not stop a session: it is shown, the person is told, and it is kept again once there is room', async () => {
    await using hub = await startSessionHub()
    const session = await start(hub, 'goes-on', 'stty -echo; while read -r line; do echo "heard $line"; done')
    const type = async (line: string) => {
      await hub.call('send_input', { name: 'goes-on', text: line })
      await hub.call('wait_session', { name: 'goes-on', for: 'text', value: `heard ${line}` })
    }
    await type('before')
    await setFull(holderOf(session), true)
    await type('full')
    const told = { status: 'running', last_message: expect.stringMatching(/disk is full.*not kept/) }
    await expect.poll(() => sessionOf(hub, 'goes-on'), patience).toMatchObject(told)
    expect(await screenOf(hub, 'goes-on')).toBe('heard before\nheard full')

    await hub.restart('SIGKILL')
    expect(await sessionOf(hub, 'goes-on')).toMatchObject({ ...told, pid: session.pid })
    await type('still full')

    await setFull(holderOf(session), false)
    await expect
      .poll(async () => {
        await type('room')
        return sessionOf(hub, 'goes-on')
      }, patience)
      .toMatchObject({ last_message: expect.stringMatching(/was full for a while: \d+ bytes/) })
    expect(journalOf(session)).toMatch(/^heard before\r\n(heard room\r\n)+$/)
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

async function setFull(pid: number, isFull: boolean): Promise<void> {
  await promisify(execFile)(program.path, ['--pid', String(pid), `--fsize=${isFull ? 0 : 'unlimited'}:`])
}

function holderOf({ log_path }: Session): number {
  return (JSON.parse(readFileSync(join(log_path, '..', 'holder.json'), 'utf8')) as { pid: number }).pid
}

function journalOf({ log_path }: Session): string {
  const segments = readdirSync(log_path).filter((name) => name.endsWith('.raw'))
  return segments
    .toSorted()
    .map((name) => readFileSync(join(log_path, name), 'utf8'))
    .join('')
}
