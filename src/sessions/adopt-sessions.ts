/** Adopts the sessions of an earlier hub. It kills nothing, starts nothing twice, and records the ends it finds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOver, livingStatuses } from '../api/session.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Run } from '../drivers/drivers.ts'
import type { SessionStarter } from './start-session.ts'
import type { FindOptions } from './find-sessions.ts'
import { findSessions } from './find-sessions.ts'
import type { SessionEnds } from './session-ends.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

export interface AdoptOptions extends FindOptions {
  readonly rows: SessionStore
  readonly ends: SessionEnds
  readonly starter: Pick<SessionStarter, 'noteStart'>
  readonly stopping: AbortSignal
  /** How long to look for a holder that was starting when the hub died. */
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

/** A session that cannot be adopted now is left as it is and retried. It does not hold up the others. */
async function adopt(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { id, name } = record
  const { registry, log } = options
  try {
    await takeUp(record, options)
  } catch (error) {
    const reason = messageOf(error)
    log.error({ session: name, error: reason }, 'could not adopt a session; the hub will retry')
    await registry.change(id, () => ({ lastMessage: reason })).catch(() => {})
    void retryAdopt(record, reason, options)
  }
}

async function takeUp(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { id, name, status, isStopAsked } = record
  const { runs, running, ends, log } = options
  if (status === 'queued') return void (isStopAsked && (await ends.note(id, () => ({ status: 'stopped' }))))
  const run = await runs.adopt(record)
  if (run) return follow(record, run, options)
  if (status === 'running') return fail(record, 'Its files are gone. The hub does not know how it ended.', options)
  running
    .whileStarting(record, () => adoptLate(record, options))
    .catch((error: unknown) => log.error({ session: name, error: messageOf(error) }, 'could not adopt a session'))
}

/** The cause may be temporary. Until the session is adopted, its record stays as it is. */
async function retryAdopt({ id, name }: SessionRecord, reason: string, options: AdoptOptions): Promise<void> {
  const { registry, log, stopping } = options
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await sleep(pauseMs, undefined, { ref: false, signal: stopping }).catch(() => {})
    // The next hub adopts it.
    if (stopping.aborted) return
    try {
      const record = await registry.current(id)
      if (!record || isOver(record.status)) return
      await takeUp(record, options)
      log.info({ session: name }, 'adopted a session on a later attempt')
      await registry.change(id, ({ lastMessage }) => (lastMessage === reason ? { lastMessage: undefined } : undefined))
      return
    } catch {
      // The first failure was logged.
    }
  }
}

async function follow(record: SessionRecord, run: Run, { starter, running }: AdoptOptions): Promise<void> {
  await running.follow(record.status === 'running' ? record : await starter.noteStart(record), run)
}

async function adoptLate(record: SessionRecord, options: AdoptOptions): Promise<void> {
  const { runs, ends, stopping, lateHolderMs } = options
  for (let waited = 0; waited < lateHolderMs; waited += lookEveryMs) {
    await sleep(lookEveryMs, undefined, { ref: false, signal: stopping }).catch(() => {})
    // The next hub looks for it again.
    if (stopping.aborted) return
    const run = await runs.adopt(record)
    if (run) return follow(record, run, options)
  }
  if (record.jobId !== undefined) await ends.requeue(record.id)
  else await fail(record, 'The hub was killed before it started the program.', options)
}

async function fail({ id }: SessionRecord, lastMessage: string, { ends }: AdoptOptions): Promise<void> {
  await ends.note(id, ({ isStopAsked }) => ({ status: isStopAsked ? 'stopped' : 'failed', lastMessage }))
}
