/** The events of a session, newest first. New ones are read as they come. */
import type { LoggedEvent } from '../../src/api/event.ts'
import { useLive } from '../hub/hub-context.tsx'
import type { Live } from '../hub/live-value.ts'

/** Older events are in the section Activity. */
const mostKept = 1_000
const firstRead = 300

interface Page {
  readonly events: readonly LoggedEvent[]
}

export function useSessionEvents(session: string): Live<readonly LoggedEvent[]> {
  return useLive<readonly LoggedEvent[]>(`events:${session}`, ({ call }) => ({
    // Every event of the hub changes this resource.
    uris: ['resource://events/0'],
    everyMs: 1_000,
    async read(signal, before) {
      const newest = before?.[0]?.seq
      const which =
        newest === undefined ? { order: 'newest', limit: firstRead } : { cursor: String(newest), limit: mostKept }
      const { events } = await call<Page>('query_events', { session, ...which }, signal)
      if (before && events.length === 0) return before
      const fresh = newest === undefined ? events : events.toReversed()
      return [...fresh, ...(before ?? [])].slice(0, mostKept)
    },
  }))
}
