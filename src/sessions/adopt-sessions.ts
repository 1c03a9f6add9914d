/** What an earlier hub left behind: nothing is killed, nothing is started twice, and what is over is noted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Terminal, Terminals } from '../terminal/terminal.ts'
import type { Beginning } from './begin.ts'
import type { RunningSessions } from './running.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'
import { livingStatuses } from './session-store.ts'

export interface AdoptOptions {
  readonly rows: SessionStore
  readonly ends: SessionEnds
  readonly hubId: string
  readonly terminals: Terminals
  readonly begin: Pick<Beginning, 'noteStart'>
  readonly running: RunningSessions
  readonly log: Log
  readonly stopping: AbortSignal
  /** A holder that was just being started when the hub died may need so long to be found. */
  readonly lateHolderMs: number
}

const lookEveryMs = 250

export async function adoptSessions(options: AdoptOptions): Promise<void> {
  const { rows, hubId } = options
  const left = await rows.list({ hubId, statuses: livingStatuses })
  await Promise.all(left.map((record) => adopt(record, options)))
}

async function adopt(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { id, name, status, isStopAsked } = record
  const { terminals, running, ends, log } = options
  // One that cannot be understood is left alone, and does not keep the others from coming back.
  const leave = (error: unknown) =>
    log.error({ session: name, error: messageOf(error) }, 'a session could not be adopted')
  try {
    if (status === 'queued') return void (isStopAsked && (await ends.note(id, () => ({ status: 'stopped' }))))
    const terminal = await terminals.adopt(id)
    if (terminal) await goOn(record, terminal, options)
    else if (status === 'running') await fail(record, 'Its files are gone, and how it ended is not known.', options)
    else running.whileStarting(id, () => adoptLate(record, options)).catch(leave)
  } catch (error) {
    leave(error)
  }
}

async function goOn(record: SessionRecord, terminal: Terminal, { begin, running }: AdoptOptions): Promise<void> {
  await running.follow(record.status === 'running' ? record : await begin.noteStart(record), terminal)
}

async function adoptLate(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { terminals, ends, stopping, lateHolderMs } = options
  for (let waited = 0; waited < lateHolderMs; waited += lookEveryMs) {
    await sleep(lookEveryMs, undefined, { ref: false, signal: stopping }).catch(() => {})
    // The next hub looks for it again.
    if (stopping.aborted) return
    const terminal = await terminals.adopt(record.id)
    if (terminal) return goOn(record, terminal, options)
  }
  if (record.jobId !== undefined) await ends.requeue(record.id)
  else await fail(record, 'The hub was killed before its program had started.', options)
}

async function fail({ id }: SessionRecord, lastMessage: string, { ends }: AdoptOptions): Promise<void> {
  await ends.note(id, ({ isStopAsked }) => ({ status: isStopAsked ? 'stopped' : 'failed', lastMessage }))
}
