/** The interface of the event log. */
import type { LoggedEvent, NewEvent } from '../api/event.ts'

export interface EventLog extends AsyncDisposable {
  /** Resolves once the event is written. From then on it survives a killed hub. */
  append(event: NewEvent): Promise<Appended>
  /**
   * Adds the event to the next commit, a moment later. It is for the outcome of a call, because the answer need not
   * wait for it. An event `calls-unrecorded` later counts the outcomes that could not be written.
   */
  appendLater(event: NewEvent): void
  /**
   * For what a person does to deny, revoke or stop, which must not wait for a locked log. Resolves when the event is
   * written, or when the log is locked. If it cannot be written at all, it is counted as with `appendLater`.
   */
  note(event: NewEvent): Promise<void>
  /** Resolves like the work, or with `undefined` while another process locks the log. The work goes on. */
  unlessLocked<Result>(work: Promise<Result>): Promise<Result | undefined>
  /**
   * Returns every event appended before, including those of `appendLater`. While another process locks the
   * log, it returns those that were written.
   */
  read(query: EventQuery): Promise<EventPage>
  /** Resolves with true once there is an event after `cursor`, and with false on timeout or when `signal` aborts. */
  waitBeyond(cursor: number, options: { timeoutMs: number; signal?: AbortSignal }): Promise<boolean>
  /**
   * Calls the listener after each commit with the newest `seq`, at most once per commit. Returns a function that stops
   * it.
   */
  onCommit(listener: (seq: number) => void): () => void
  readonly lastSeq: number
}

export type Appended = Pick<LoggedEvent, 'seq' | 'id' | 'at'>

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
  /** Oldest first by default. */
  readonly order?: EventOrder
  /** Only events with a greater `seq` or, newest first, with a smaller one. */
  readonly cursor?: number
  /** At most 1000, by default 100. A page of large events may hold fewer. */
  readonly limit?: number
}

export type EventOrder = 'oldest' | 'newest'

export interface EventPage {
  readonly events: readonly LoggedEvent[]
  /**
   * The cursor for the next page. All events up to here were examined, whether they matched or not. A reader with a
   * filter waits beyond this cursor, so that events that did not match do not wake it again.
   */
  readonly nextCursor: number
  /**
   * How many events between the query's cursor and the oldest stored one were dropped by age or size. Newest first,
   * only the last page counts them.
   */
  readonly dropped: number
}
