/**
 * The event log: append-only, committed in groups, and redacted before anything is stored. Readers start at a cursor
 * and may wait for more.
 *
 *   append → thin → redact → queue → one commit for all that wait → listeners, waiting readers
 *   appendLater → thin → redact → queue → the next commit
 *
 * With SQLite, the log has its own file. It survives a killed hub, but a power cut may lose the last moments. With
 * PostgreSQL, all hubs on the same database share one log.
 */
import type { NewEvent } from '../api/event.ts'
import type { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { PostgresAccess } from '../base/postgres-access.ts'
import type { Redactor } from '../base/redact.ts'
import { createAppendQueue } from './append-queue.ts'
import { createCommits } from './commits.ts'
import { createRecord } from './event-record.ts'
import type { Appended, EventLog } from './event-log.ts'
import { withRecordedError } from './recorded-error.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import type { RetentionLimits } from './retention.ts'
import { startRetention } from './retention.ts'
import { createSampling, startReporting } from './sampling.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

export type { CallOutcome, CallRecord, RecordedCall } from './call-record.ts'
export { openCallRecord } from './call-record.ts'
export type { Appended, EventLog, EventQuery } from './event-log.ts'

export type EventLogOptions =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly postgres: PostgresAccess }

export interface EventLogDeps {
  readonly redactor: Redactor
  readonly retention: RetentionLimits
  /** The share of traces that keep the bodies of model calls. By default, all do. */
  readonly bodyRate?: number | undefined
  readonly now?: () => Date
  readonly log?: Log
}

/** Another process locks the log for a moment now and then, such as a backup. */
const lockedForMs = 100
const lookEveryMs = 20
const defaultLimit = 100
const mostPerPage = 1_000

export async function openEventLog(options: EventLogOptions, deps: EventLogDeps): Promise<EventLog> {
  const { redactor, retention: limits, bodyRate, now = () => new Date(), log } = deps
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
  const sampling = createSampling(bodyRate)
  const toRecord = (event: NewEvent) => createRecord(sampling.thin(withRecordedError(event, log)), { redactor, now })
  const append = async (event: NewEvent): Promise<Appended> => {
    const record = toRecord(event)
    return { seq: await queue.append(record), id: record.id, at: record.at }
  }
  /** The number of lost outcomes that the log does not mention yet. */
  let lost = 0
  const noteLost = (error: HubError): void => {
    lost++
    log?.error({ error }, 'the outcome of a call could not be recorded')
  }
  const tellLost = (): void => {
    const outcomes = lost
    lost = 0
    append({ type: 'calls-unrecorded', payload: { calls: 0, outcomes } }).catch(() => {
      lost += outcomes
    })
  }
  opened.use(startReporting(sampling, append, onFault))
  const isLocked = () => performance.now() - (storage.lockedSince ?? Infinity) > lockedForMs
  async function unlessLocked<Result>(work: Promise<Result>): Promise<Result | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const timer = setInterval(() => isLocked() && resolve(undefined), lookEveryMs).unref()
    try {
      return await Promise.race([work, promise])
    } finally {
      clearInterval(timer)
    }
  }
  const dropOldest = storage.dropOldest.bind(storage)
  const retention = opened.use(startRetention({ limits, now, dropOldest, tell: append, onFault }))

  const kept = opened.move()
  return {
    append,
    appendLater(event) {
      // The request of this call was written before its outcome, so the log accepts writes again.
      if (lost > 0) tellLost()
      queue.appendLater(toRecord(event), noteLost)
    },
    unlessLocked,
    async note(event) {
      await unlessLocked(append(event).catch(noteLost))
    },
    async read(query) {
      await unlessLocked(queue.flush())
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
