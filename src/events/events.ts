/**
 * The event log: append-only, group-committed, redacted before anything is stored. Readers go from a cursor and may wait for
 * more.
 *
 *   append → redact → queue → one commit for all that wait → listeners, waiting readers
 *
 * SQLite keeps it in a file of its own that survives a killed hub; a power cut may cost its last moments. PostgreSQL keeps
 * one log for all hubs that share it.
 */
import type { Event, NewEvent } from '../api/event.ts'
import type { Log } from '../base/log.ts'
import type { PostgresAccess } from '../base/postgres-access.ts'
import type { Redactor } from '../base/redact.ts'
import { createAppendQueue } from './append-queue.ts'
import { createCommits } from './commits.ts'
import { createRecord, toEvent } from './event-record.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { startRetention } from './retention.ts'
import type { RetentionLimits } from './retention.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

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
  /** Oldest first unless told. */
  readonly order?: EventOrder
  /** Only events with a greater `seq`; newest first, only those with a smaller one. */
  readonly cursor?: number
  /** At most 1000; 100 unless told. A page of large events may hold fewer. */
  readonly limit?: number
}

export type EventOrder = 'oldest' | 'newest'

export interface EventPage {
  readonly events: readonly Event[]
  /**
   * Where to read on: everything up to here was looked at, whether it matched or not. Whoever follows with a filter waits
   * beyond this, and is not woken again by what did not match.
   */
  readonly nextCursor: number
  /** Events that were dropped by age or size before the first kept one, where the page comes past them. */
  readonly dropped: number
}

export type EventLogOptions =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly postgres: PostgresAccess }

export interface EventLogDeps {
  readonly redactor: Redactor
  readonly retention: RetentionLimits
  readonly now?: () => Date
  readonly log?: Log
}

const defaultLimit = 100
const mostPerPage = 1_000

export async function openEventLog(options: EventLogOptions, deps: EventLogDeps): Promise<EventLog> {
  const { redactor, retention: limits, now = () => new Date(), log } = deps
  await using opened = new AsyncDisposableStack()
  const onFault = (error: unknown): void => log?.error({ error }, 'the event log had a fault')
  const commits = createCommits(onFault)
  const storage = opened.use(
    options.engine === 'sqlite'
      ? openSqliteStorage(options.path, { onFault })
      : await openPostgresStorage(options.postgres, { onForeignCommit: commits.announce }),
  )
  commits.announce(storage.lastSeq)
  const queue = createAppendQueue(storage, (seq, bytes) => {
    commits.announce(seq)
    retention.noteWritten(bytes)
  })
  opened.defer(() => queue.close())
  const append = async (event: NewEvent): Promise<Event> => {
    const record = createRecord(event, { redactor, now })
    return toEvent(await queue.append(record), record)
  }
  const dropOldest = storage.dropOldest.bind(storage)
  const retention = opened.use(startRetention({ limits, now, dropOldest, tell: append, onFault }))

  const kept = opened.move()
  return {
    append,
    read: (query) => {
      const limit = Math.min(Math.max(query.limit ?? defaultLimit, 1), mostPerPage)
      return storage.read({ ...query, limit })
    },
    waitBeyond: commits.waitBeyond,
    onCommit: commits.onCommit,
    get lastSeq() {
      return commits.lastSeq
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
