/** The interface of a storage engine: write in groups, read from a cursor, drop the oldest. */
import type { HubError } from '../base/hub-error.ts'
import type { EventPage, EventQuery } from './event-log.ts'
import type { EventRecord } from './event-record.ts'

export interface EventStorage extends AsyncDisposable {
  /** The seq of the newest event when the storage was opened. */
  readonly lastSeq: number
  /** Since when another process keeps it from writing, in milliseconds of `performance.now`. */
  readonly lockedSince: number | undefined
  /**
   * Writes the first of the offered records, as many as fit into one short commit. It calls `offered` only when its
   * turn comes, so that records appended meanwhile are included. `isClosing`: it waits for another process only briefly.
   */
  write(offered: () => readonly EventRecord[], isClosing: () => boolean): Promise<WriteResult>
  read(query: EventQuery & { readonly limit: number }): Promise<EventPage>
  /** Drops events that are too old or exceed the size, in small steps. The newest event always stays. */
  dropOldest(limits: EventLimits): Promise<DroppedEvents | undefined>
}

export type WriteResult =
  | { readonly is: 'written'; readonly count: number; readonly firstSeq: number }
  /** None of the first `count` records was written. */
  | { readonly is: 'failed'; readonly count: number; readonly error: HubError }

export interface EventLimits {
  /** ISO 8601 UTC. Older events are dropped. */
  readonly before: string
  readonly maxBytes: number
}

export interface DroppedEvents {
  readonly count: number
  readonly firstSeq: number
  readonly lastSeq: number
}

/** Greater than `after`, up to and including `upTo`. */
export interface SeqRange {
  readonly after: number
  readonly upTo: number
}

/** The part of the log that remains to be read from the query's cursor. */
export function rangeOf({ order, cursor }: EventQuery, lastSeq: number): SeqRange {
  if (order === 'newest') return { after: 0, upTo: Math.min(lastSeq, (cursor ?? Infinity) - 1) }
  return { after: cursor ?? 0, upTo: lastSeq }
}

/** The columns that a query may filter by, the most selective first. */
export const filterColumns = ['correlation', 'session', 'thread', 'type', 'route'] as const

/** The share of the size limit that is freed at once, so that the next event does not trigger another drop. */
export const roomToMake = 0.1
