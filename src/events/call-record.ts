/** Records a call of a person or an agent: one event before the call runs, and one with its outcome. */
import type { EventPayload } from '../api/event.ts'
import type { EventLog } from './event-log.ts'

export interface CallRecord {
  /** The id of the event that records the request. */
  readonly event: string
  /** Leaves the outcome for the next commit, so that the answer does not wait for it. */
  end(outcome: CallOutcome): void
}

export interface RecordedCall {
  readonly correlation: string
  readonly session?: string | undefined
  readonly thread?: string | undefined
  /** The event that caused the call. */
  readonly parent?: string | undefined
  readonly route?: string | undefined
  readonly request: EventPayload<'tool-called'>
}

export type CallOutcome = Omit<EventPayload<'tool-answered'>, 'tool' | 'ms'>

/**
 * Resolves when the request is committed: only then may the call run. `previous` is the event of an earlier round, if the
 * call only continues.
 */
export async function openCallRecord(
  events: Pick<EventLog, 'append' | 'appendLater'>,
  { correlation, session, thread, parent, route, request }: RecordedCall,
  previous?: string,
): Promise<CallRecord> {
  const common = {
    correlation,
    ...(session !== undefined && { session }),
    ...(thread !== undefined && { thread }),
    ...(route !== undefined && { route }),
  }
  const cause = parent === undefined ? {} : { parent }
  const { tool } = request
  const startedAt = performance.now()
  const event = previous ?? (await events.append({ ...common, ...cause, type: 'tool-called', payload: request })).id
  return {
    event,
    end(outcome) {
      const ms = Math.round((performance.now() - startedAt) * 1000) / 1000
      const payload = { tool, ms, ...outcome }
      events.appendLater({ ...common, type: 'tool-answered', parent: event, payload })
    },
  }
}
