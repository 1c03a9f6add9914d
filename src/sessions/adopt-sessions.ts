/** What an earlier hub left behind: nothing is killed, nothing is started twice, and what is over is noted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Terminals } from '../terminal/terminal.ts'
import type { RunningSessions } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

export interface AdoptOptions {
  readonly rows: SessionStore
  readonly book: SessionBook
  readonly hubId: string
  readonly terminals: Terminals
  readonly running: RunningSessions
  readonly log: Log
  readonly onEnded: (record: SessionRecord) => Promise<void>
}

/** A holder that was just being started when the hub died may need so long to be found. */
const lateMs = 5_000
const lookEveryMs = 250

export async function adoptSessions(options: AdoptOptions): Promise<void> {
  const { rows, hubId } = options
  const left = await rows.list({ hubId, statuses: ['starting', 'running'] })
  await Promise.all(left.map((record) => adopt(record, options)))
}

async function adopt(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { terminals, running, log } = options
  try {
    const terminal = await terminals.adopt(record.id)
    if (terminal) await running.follow(await running_(record, options), terminal)
    else
      void adoptLate(record, options).catch((error: unknown) => log.error({ error }, 'a session could not be adopted'))
  } catch (error) {
    // One that cannot be understood is left alone, and does not keep the others from coming back.
    log.error({ session: record.name, error: messageOf(error) }, 'a session could not be adopted')
  }
}

async function running_(record: SessionRecord, { book }: AdoptOptions): Promise<SessionRecord> {
  if (record.status === 'running') return record
  const startedAt = record.startedAt ?? new Date().toISOString()
  return (await book.change(record.id, () => ({ status: 'running', startedAt }))) ?? record
}

async function adoptLate(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { terminals, running, book, onEnded } = options
  for (let waited = 0; waited < lateMs; waited += lookEveryMs) {
    await sleep(lookEveryMs, undefined, { ref: false })
    const terminal = await terminals.adopt(record.id)
    if (terminal) return running.follow(await running_(record, options), terminal)
  }
  // It never began: a job takes its place in the queue again, whatever else was asked for has failed.
  if (record.jobId !== undefined) {
    const queued = await book.change(record.id, () => ({ status: 'queued' }))
    if (queued) await onEnded(queued)
    return
  }
  const failed = await book.change(record.id, () => ({
    status: 'failed',
    endedAt: new Date().toISOString(),
    lastMessage: 'The hub was killed before its program had started.',
  }))
  if (failed) await onEnded(failed)
}
