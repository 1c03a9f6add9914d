/** The calls of a session in the event log. They are read again when its thread has grown. */
import type { LoggedEvent } from '../../src/api/event.ts'
import { useLive } from '../hub/hub-context.tsx'
import { type RecordedCall, toCall } from './call-decisions.ts'

interface Read {
  readonly calls: readonly RecordedCall[]
  readonly cursor: string | undefined
}

const pageSize = 1_000

export function useRecordedCalls(session: string, thread: string): readonly RecordedCall[] {
  const { value } = useLive<Read>(`decisions:${session}:${thread}`, ({ call }) => ({
    uris: [`resource://threads/${thread}`],
    everyMs: 1_000,
    async read(signal, before = { calls: none, cursor: undefined }) {
      let { cursor } = before
      const events: LoggedEvent[] = []
      for (;;) {
        const args = { session, type: 'tool-called', limit: pageSize, ...(cursor !== undefined && { cursor }) }
        const page = await call<{ events: readonly LoggedEvent[]; next_cursor: string }>('query_events', args, signal)
        events.push(...page.events)
        cursor = page.next_cursor
        if (page.events.length < pageSize) break
      }
      return { calls: events.length === 0 ? before.calls : [...before.calls, ...events.flatMap(toCall)], cursor }
    },
  }))
  return value?.calls ?? none
}

const none: readonly RecordedCall[] = []
