/** When a session worked, and when it was held: from the recorded changes of its activity. */
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Activity, Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import type { CallTool } from '../hub/hub.ts'

/** Times in milliseconds since 1970. */
export interface ActivityChange {
  readonly session: string
  readonly at: number
  readonly is: Activity['is']
}

export interface ActivitySpan {
  readonly is: 'working' | 'waiting'
  readonly from: number
  readonly to: number
}

export interface ReadChanges {
  readonly changes: readonly ActivityChange[]
  /** Continue here. */
  readonly cursor: string | undefined
}

const pageSize = 1_000

/** All changes from `start` on, which is a part of the arguments of query_events. */
export async function readChanges(call: CallTool, start: object, signal: AbortSignal): Promise<ReadChanges> {
  const changes: ActivityChange[] = []
  for (let args = start; ;) {
    const { events, next_cursor: cursor } = await call<{ events: readonly LoggedEvent[]; next_cursor: string }>(
      'query_events',
      { type: 'activity-changed', limit: pageSize, ...args },
      signal,
    )
    for (const { session, at, payload } of events) {
      if (session !== undefined) changes.push({ session, at: Date.parse(at), is: payload['is'] as Activity['is'] })
    }
    if (events.length < pageSize) return { changes, cursor }
    args = { ...args, cursor }
  }
}

export function activitySpans(
  { activity, status, updated_at: updated }: Session,
  changes: readonly ActivityChange[],
  now: number,
): readonly ActivitySpan[] {
  const current = { at: Date.parse(activity.since), is: activity.is }
  const known = changes.some(({ at }) => at >= current.at) ? changes : [...changes, current]
  const end = isOver(status) ? Date.parse(updated) : now
  return known.flatMap(({ at, is }, index) =>
    is === 'working' || is === 'waiting' ? [{ is, from: at, to: known[index + 1]?.at ?? end }] : [],
  )
}
