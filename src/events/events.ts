/**
 * The event log: append-only, in a file of its own, group-committed. Readers go from a cursor and may wait for more.
 * Everything is redacted before it is stored.
 */
import type { Event, NewEvent } from '../api/event.ts'

export interface EventLog extends AsyncDisposable {
  /** Resolves once the event is written: it then survives a killed hub. */
  append(event: NewEvent): Promise<Event>
  read(query: EventQuery): Promise<EventPage>
  /** True as soon as an event after `cursor` is there, false after the time or when `signal` fires. */
  waitBeyond(cursor: number, options: { timeoutMs: number; signal?: AbortSignal }): Promise<boolean>
  /** Called after each commit with the newest `seq`, at most once per commit. Returns the way to stop. */
  onCommit(listener: (seq: number) => void): () => void
  readonly lastSeq: number
}

export interface EventQuery {
  readonly session?: string
  readonly thread?: string
  readonly correlation?: string
  readonly type?: string
  readonly route?: string
  /** ISO 8601 UTC, inclusive */
  readonly since?: string
  /** ISO 8601 UTC, exclusive */
  readonly until?: string
  /** Only events with a greater `seq`. */
  readonly cursor?: number
  readonly limit?: number
}

export interface EventPage {
  readonly events: readonly Event[]
  /** Where to read on; equal to the query's cursor when nothing was found. */
  readonly nextCursor: number
  /** Events between the cursor and the first kept one that were dropped by age or size. */
  readonly dropped: number
}
