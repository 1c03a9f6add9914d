/**
 * The end of a session, noted once. First its token goes, then the end is stored, then others are told: a hub that is
 * killed on the way does it again, and whatever fails behind the record does not keep the queue from going on.
 */
import { isOver } from '../api/session.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { SessionTokens } from './launch.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'

export type EndOfSession = Pick<SessionRecord, 'status'> & Partial<SessionRecord>

export interface SessionEnds {
  /** `undefined`: it was over before, or is gone. Throws where the end could not be stored. */
  note(id: string, end: (record: SessionRecord) => EndOfSession): Promise<SessionRecord | undefined>
  /** A job that never began takes its place in the queue again, unless somebody wants it gone. */
  requeue(id: string): Promise<void>
}

export interface SessionEndsOptions {
  readonly book: SessionBook
  readonly tokens: Pick<SessionTokens, 'revoke'>
  readonly events: Pick<EventLog, 'append'>
  readonly log: Log
  /** It is stored. */
  readonly onEnded: (record: SessionRecord) => void
  /** There may be a place for the next job. */
  readonly startNextJob: () => Promise<void>
}

export function createSessionEnds({
  book,
  tokens,
  events,
  log,
  onEnded,
  startNextJob,
}: SessionEndsOptions): SessionEnds {
  async function attempt(id: string, what: string, step: () => Promise<unknown>): Promise<void> {
    try {
      await step()
    } catch (error) {
      log.error({ session: id, error }, what)
    }
  }

  async function revokeToken(id: string): Promise<void> {
    const record = await book.current(id)
    const tokenId = record?.tokenId
    if (!record || tokenId === undefined || isOver(record.status)) return
    await attempt(id, 'the token of a session could not be revoked', () => tokens.revoke(tokenId))
  }

  async function note(id: string, end: (record: SessionRecord) => EndOfSession): Promise<SessionRecord | undefined> {
    await revokeToken(id)
    let isEnd = false
    const ended = await book.change(id, (record) => {
      isEnd = !isOver(record.status)
      return isEnd ? { endedAt: new Date().toISOString(), ...end(record) } : undefined
    })
    if (!ended || !isEnd) return undefined
    await attempt(id, 'the end of a session was not told', async () => onEnded(ended))
    const { status, exitCode, exitSignal, jobId } = ended
    await attempt(id, 'the end of a session is not in the log of events', () =>
      events.append({
        type: 'session-ended',
        session: id,
        payload: { status, exit_code: exitCode, signal: exitSignal },
      }),
    )
    if (jobId !== undefined) await attempt(id, 'the next job could not be started', startNextJob)
    return ended
  }

  return {
    note,
    async requeue(id) {
      await revokeToken(id)
      const record = await book.change(id, ({ isStopAsked }) =>
        isStopAsked ? undefined : { status: 'queued', tokenId: undefined },
      )
      if (record?.isStopAsked) await note(id, () => ({ status: 'stopped' }))
      else await startNextJob()
    },
  }
}
