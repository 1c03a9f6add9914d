/**
 * Simulates a full disk with a limit on file size. A process that cannot extend any file sees the same errors as on a
 * full disk. The limit can be set for one process and removed again without root.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { requires } from '../harness/requires.ts'
import type { OwnHub } from '../worlds/own-hub.ts'
import { screenOf, sessionOf, start, startSessionHub } from '../worlds/session-hub.ts'

const patience = { timeout: 120_000, interval: 50 }

/** The program that sets the limit of a running process. */
export const limiter = requires('prlimit')

export async function setFull(pid: number, isFull: boolean): Promise<void> {
  await promisify(execFile)(limiter.path, ['--pid', String(pid), `--fsize=${isFull ? 0 : 'unlimited'}:`])
}

/** Fills the disk of the sessions, kills the hub, then frees space. All sessions continue and report both changes. */
export async function outliveFullDisk({ sessions }: { sessions: number }): Promise<void> {
  await using hub = await startSessionHub()
  const names = Array.from({ length: sessions }, (_, index) => `continues-${index}`)
  const started = await Promise.all(names.map((name) => startListener(hub, name)))
  await Promise.all(started.map((session) => fillDisk(hub, session)))

  await hub.restart('SIGKILL')
  await Promise.all(started.map((session) => freeDisk(hub, session)))
}

const reportsFull = { status: 'running', last_message: expect.stringMatching(/disk is full.*not saved/) }
const reportsFree = { status: 'running', last_message: expect.stringMatching(/was full for a while: \d+ bytes/) }

function startListener(hub: OwnHub, name: string): Promise<Session> {
  return start(hub, name, 'stty -echo; while read -r line; do echo "heard $line"; done')
}

async function fillDisk(hub: OwnHub, session: Session): Promise<void> {
  const { name } = session
  await sendLine(hub, name, 'before')
  await setFull(holderOf(session), true)
  await sendLine(hub, name, 'full')
  await expect.poll(() => sessionOf(hub, name), patience).toMatchObject(reportsFull)
  expect(await screenOf(hub, name)).toBe('heard before\nheard full')
}

async function freeDisk(hub: OwnHub, session: Session): Promise<void> {
  const { name, pid } = session
  expect(await sessionOf(hub, name)).toMatchObject({ ...reportsFull, pid })
  await sendLine(hub, name, 'still full')
  await setFull(holderOf(session), false)
  const sendAnother = async () => {
    await sendLine(hub, name, 'room')
    return sessionOf(hub, name)
  }
  await expect.poll(sendAnother, patience).toMatchObject({ ...reportsFree, pid })
  expect(journalOf(session)).toMatch(/^heard before\r\n(heard room\r\n)+$/)
}

async function sendLine(hub: OwnHub, name: string, line: string): Promise<void> {
  await hub.call('send_input', { name, text: line })
  await hub.call('wait_session', { name, for: 'text', value: `heard ${line}` })
}

function holderOf({ log_path }: Session): number {
  return (JSON.parse(readFileSync(join(log_path, '..', 'holder.json'), 'utf8')) as { pid: number }).pid
}

/** The journal has a gap for the time when the disk was full. */
function journalOf({ log_path }: Session): string {
  const segments = readdirSync(log_path).filter((name) => name.endsWith('.raw'))
  return segments
    .toSorted()
    .map((name) => readFileSync(join(log_path, name), 'utf8'))
    .join('')
}
