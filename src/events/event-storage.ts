/** What an engine does for the log: write in groups, read from a cursor, drop the oldest. */
import type { HubError } from '../base/hub-error.ts'
import type { EventRecord } from './event-record.ts'
import type { EventPage, EventQuery } from './events.ts'

export interface EventStorage extends AsyncDisposable {
  /** Of the newest event when it was opened. */
  readonly lastSeq: number
  /**
   * Writes as many of the first records as fit into one commit that does not hold up the hub. It asks for them when it comes
   * to its turn, so that what was appended meanwhile comes along.
   */
  write(offered: () => readonly EventRecord[]): Promise<WriteResult>
  read(query: EventQuery & { readonly limit: number }): Promise<EventPage>
  /** Drops what is too old or too much, in small steps. The newest event always stays. */
  dropOldest(limits: EventLimits): Promise<DroppedEvents | undefined>
}

export type WriteResult =
  | { readonly is: 'written'; readonly count: number; readonly firstSeq: number }
  /** None of the first `count` was written. */
  | { readonly is: 'failed'; readonly count: number; readonly error: HubError }

export interface EventLimits {
  /** ISO 8601 UTC: older ones go. */
  readonly before: string
  readonly maxBytes: number
}

export interface DroppedEvents {
  readonly count: number
  readonly firstSeq: number
  readonly lastSeq: number
}

/** Numbers after the one and up to the other. */
export interface SeqRange {
  readonly after: number
  readonly upTo: number
}

/** What of the log the cursor of a query leaves to be read. */
export function rangeOf({ order, cursor }: EventQuery, lastSeq: number): SeqRange {
  if (order === 'newest') return { after: 0, upTo: Math.min(lastSeq, (cursor ?? Infinity) - 1) }
  return { after: cursor ?? 0, upTo: lastSeq }
}

/** The fields a query may name, the one that singles out most first. */
export const filterColumns = ['correlation', 'session', 'type', 'thread', 'route'] as const

/** When size makes events go, this much room is made at once, so that it need not be made again with the next one. */
export const roomToMake = 0.1
