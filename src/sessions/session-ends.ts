/**
 * Records the end of a session, once: revoke its token, store the end, then signal it. A hub that is killed in between
 * leaves the rest to the next hub. A failure after the end is stored does not stop the queue.
 */
import { isOver } from '../api/session.ts'
import type { Log } from '../base/log.ts'
import type { EventLog } from '../events/events.ts'
import type { KeptConversation, LookForConversation } from './kept-conversation.ts'
import type { SessionTokens } from './session-tokens.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export type EndOfSession = Pick<SessionRecord, 'status'> & Partial<SessionRecord>

export interface SessionEnds {
  /** `undefined`: the session had ended before, or is gone. Throws if the end cannot be stored. */
  note(id: string, end: (record: SessionRecord) => EndOfSession): Promise<SessionRecord | undefined>
  /** Puts a job that never started back into the queue. If it is to be stopped, ends it instead. */
  requeue(id: string): Promise<void>
}

export interface SessionEndsOptions {
  readonly registry: SessionRegistry
  readonly tokens: Pick<SessionTokens, 'revoke'>
  readonly events: Pick<EventLog, 'note'>
  readonly log: Log
  /** Asked once, at the end, so that lists of sessions need not look. */
  readonly lookForConversation: LookForConversation
  /** Called when the end is stored. */
  readonly onEnded: (record: SessionRecord) => void
  /** Called when a job has ended, so the next one may start. */
  readonly startNextJob: () => Promise<void>
}

export function createSessionEnds({
  registry,
  tokens,
  events,
  log,
  lookForConversation,
  onEnded,
  startNextJob,
}: SessionEndsOptions): SessionEnds {
  async function attempt(id: string, message: string, step: () => Promise<unknown>): Promise<void> {
    try {
      await step()
    } catch (error) {
      log.error({ session: id, error }, message)
    }
  }

  async function revokeToken(id: string): Promise<void> {
    const record = await registry.current(id)
    const tokenId = record?.tokenId
    if (!record || tokenId === undefined || isOver(record.status)) return
    await attempt(id, 'could not revoke the token of a session', () => tokens.revoke(tokenId))
  }

  async function note(id: string, end: (record: SessionRecord) => EndOfSession): Promise<SessionRecord | undefined> {
    await revokeToken(id)
    let isEnd = false
    const found = await registry.current(id)
    const kept = found && !isOver(found.status) ? await lookForConversation(found) : 'unknown'
    const ended = await registry.change(id, (record) => {
      isEnd = !isOver(record.status)
      return isEnd ? { endedAt: new Date().toISOString(), ...withConversation(kept, record, end(record)) } : undefined
    })
    if (!ended || !isEnd) return undefined
    await attempt(id, 'could not signal the end of a session', async () => onEnded(ended))
    const { status, exitCode, exitSignal, jobId } = ended
    await attempt(id, 'could not write the end of a session to the event log', () =>
      events.note({
        type: 'session-ended',
        session: id,
        payload: { status, exit_code: exitCode, signal: exitSignal },
      }),
    )
    if (jobId !== undefined) await attempt(id, 'could not start the next job', startNextJob)
    return ended
  }

  return {
    note,
    async requeue(id) {
      await revokeToken(id)
      const record = await registry.change(id, ({ isStopAsked }) =>
        isStopAsked ? undefined : { status: 'queued', tokenId: undefined },
      )
      if (record?.isStopAsked) await note(id, () => ({ status: 'stopped' }))
      else await startNextJob()
    },
  }
}

function withConversation(kept: KeptConversation, { resumedFrom }: SessionRecord, end: EndOfSession): EndOfSession {
  if (kept === 'nothing') return { ...end, conversation: undefined }
  if (kept === 'kept' || resumedFrom === undefined || end.status !== 'failed') return end
  const unknown = 'The hub cannot tell whether the agent still has the conversation it was to resume.'
  return { ...end, lastMessage: end.lastMessage === undefined ? unknown : `${end.lastMessage} ${unknown}` }
}
