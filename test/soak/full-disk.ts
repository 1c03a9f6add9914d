/**
 * A disk that takes nothing any more. A process that may not make any file longer sees the same as on a full disk,
 * and that can be done to one process, and be undone, without being root.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { requires } from '../harness/requires.ts'
import type { OwnHub } from '../http/own-hub.ts'
import { screenOf, sessionOf, start, startSessionHub } from '../sessions/session-hub.ts'

const patience = { timeout: 120_000, interval: 50 }

/** What sets the limit of a process that runs. */
export const limiter = requires('prlimit')

export async function setFull(pid: number, isFull: boolean): Promise<void> {
  await promisify(execFile)(limiter.path, ['--pid', String(pid), `--fsize=${isFull ? 0 : 'unlimited'}:`])
}

/** Their disk is full; the hub is killed meanwhile; then there is room again. All go on, and the person is told each time. */
export async function outliveFullDisk({ sessions }: { sessions: number }): Promise<void> {
  await using hub = await startSessionHub()
  const names = Array.from({ length: sessions }, (_, index) => `goes-on-${index}`)
  const started = await Promise.all(names.map((name) => startListener(hub, name)))
  await Promise.all(started.map((session) => fillUp(hub, session)))

  await hub.restart('SIGKILL')
  await Promise.all(started.map((session) => makeRoom(hub, session)))
}

const toldFull = { status: 'running', last_message: expect.stringMatching(/disk is full.*not kept/) }
const toldRoom = { status: 'running', last_message: expect.stringMatching(/was full for a while: \d+ bytes/) }

function startListener(hub: OwnHub, name: string): Promise<Session> {
  return start(hub, name, 'stty -echo; while read -r line; do echo "heard $line"; done')
}

async function fillUp(hub: OwnHub, session: Session): Promise<void> {
  const { name } = session
  await say(hub, name, 'before')
  await setFull(holderOf(session), true)
  await say(hub, name, 'full')
  await expect.poll(() => sessionOf(hub, name), patience).toMatchObject(toldFull)
  expect(await screenOf(hub, name)).toBe('heard before\nheard full')
}

async function makeRoom(hub: OwnHub, session: Session): Promise<void> {
  const { name, pid } = session
  expect(await sessionOf(hub, name)).toMatchObject({ ...toldFull, pid })
  await say(hub, name, 'still full')
  await setFull(holderOf(session), false)
  const sayMore = async () => {
    await say(hub, name, 'room')
    return sessionOf(hub, name)
  }
  await expect.poll(sayMore, patience).toMatchObject({ ...toldRoom, pid })
  expect(journalOf(session)).toMatch(/^heard before\r\n(heard room\r\n)+$/)
}

async function say(hub: OwnHub, name: string, line: string): Promise<void> {
  await hub.call('send_input', { name, text: line })
  await hub.call('wait_session', { name, for: 'text', value: `heard ${line}` })
}

function holderOf({ log_path }: Session): number {
  return (JSON.parse(readFileSync(join(log_path, '..', 'holder.json'), 'utf8')) as { pid: number }).pid
}

/** With a gap where the disk was full. */
function journalOf({ log_path }: Session): string {
  const segments = readdirSync(log_path).filter((name) => name.endsWith('.raw'))
  return segments
    .toSorted()
    .map((name) => readFileSync(join(log_path, name), 'utf8'))
    .join('')
}
