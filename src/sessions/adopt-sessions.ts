/** What an earlier hub left behind: nothing is killed, nothing is started twice, and what is over is noted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOver } from '../api/session.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Beginning } from './begin.ts'
import type { FindOptions } from './find-sessions.ts'
import { findSessions } from './find-sessions.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'
import { livingStatuses } from './session-store.ts'

export interface AdoptOptions extends FindOptions {
  readonly rows: SessionStore
  readonly ends: SessionEnds
  readonly begin: Pick<Beginning, 'noteStart'>
  readonly stopping: AbortSignal
  /** A holder that was just being started when the hub died may need so long to be found. */
  readonly lateHolderMs: number
}

const lookEveryMs = 250
const firstPauseMs = 250
const longestPauseMs = 30_000

export async function adoptSessions(options: AdoptOptions): Promise<void> {
  const { rows, hubId } = options
  const left = await rows.list({ hubId, statuses: livingStatuses })
  await Promise.all(left.map((record) => adopt(record, options)))
  await findSessions(new Set(left.map(({ id }) => id)), options)
}

/** One that cannot be understood is left alone, and does not keep the others from coming back. */
async function adopt(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { id, name } = record
  const { book, log } = options
  try {
    await takeUp(record, options)
  } catch (error) {
    const whyNot = messageOf(error)
    log.error({ session: name, error: whyNot }, 'a session could not be adopted, and is tried again')
    await book.change(id, () => ({ lastMessage: whyNot })).catch(() => {})
    void adoptAgain(record, whyNot, options)
  }
}

async function takeUp(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { id, name, status, isStopAsked } = record
  const { terminals, running, ends, log } = options
  if (status === 'queued') return void (isStopAsked && (await ends.note(id, () => ({ status: 'stopped' }))))
  const terminal = await terminals.adopt(id)
  if (terminal) return goOn(record, terminal, options)
  if (status === 'running') return fail(record, 'Its files are gone, and how it ended is not known.', options)
  running
    .whileStarting(id, () => adoptLate(record, options))
    .catch((error: unknown) => log.error({ session: name, error: messageOf(error) }, 'a session could not be adopted'))
}

/** What keeps the hub from it may pass. Until then its record stays as it is. */
async function adoptAgain({ id, name }: SessionRecord, told: string, options: AdoptOptions): Promise<void> {
  const { book, log, stopping } = options
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await sleep(pauseMs, undefined, { ref: false, signal: stopping }).catch(() => {})
    // The next hub adopts it.
    if (stopping.aborted) return
    try {
      const record = await book.current(id)
      if (!record || isOver(record.status)) return
      await takeUp(record, options)
      log.info({ session: name }, 'a session was adopted after all')
      await book.change(id, ({ lastMessage }) => (lastMessage === told ? { lastMessage: undefined } : undefined))
      return
    } catch {
      // Told already.
    }
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
