/**
 * The event log in PostgreSQL, shared by all hubs on the same database.
 *
 * Each group of events first takes its numbers from the single row of `event_log`. That row stays locked until the
 * group is committed, so the groups of all hubs are committed in the order of their numbers. A reader that has seen seq
 * 7 never sees a 6 appear later, and no number is skipped.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { PostgresAccess } from '../base/postgres-access.ts'
import type { EventQuery } from './event-log.ts'
import type { EventRecord } from './event-record.ts'
import { bytesOf, recordColumns, toEvent } from './event-record.ts'
import type { DroppedEvents, EventStorage, WriteResult } from './event-storage.ts'
import { filterColumns, rangeOf, roomToMake } from './event-storage.ts'
import { createPostgresSchema } from './postgres-schema.ts'

const channelName = 'signalbox_events'
const mostBytesPerGroup = 4 * 1024 * 1024
const mostBytesPerPage = 1024 * 1024
const rowsPerDrop = 1_000
const dropLock = 7_420_003

export async function openPostgresStorage(
  postgres: PostgresAccess,
  { onForeignCommit }: { onForeignCommit: (seq: number) => void },
): Promise<EventStorage> {
  await createPostgresSchema(postgres)
  const bounds = async (): Promise<{ first: number; last: number }> => {
    const rows = await postgres.query<{ first: number; last: number }>(boundsStatement)
    return rows[0] ?? { first: 0, last: 0 }
  }
  const listening = await postgres.listen(channelName, {
    onNotice: (payload) => onForeignCommit(Number(payload)),
    onGap: () =>
      void bounds().then(
        ({ last }) => onForeignCommit(last),
        () => {},
      ),
  })
  const { last: lastSeq } = await bounds()

  return {
    lastSeq,
    lockedSince: undefined,
    async write(offered) {
      await nextTurn()
      return writeGroup(postgres, firstBytes(offered(), mostBytesPerGroup))
    },
    async read(query) {
      const { limit } = query
      const isNewestFirst = query.order === 'newest'
      // Read the bounds first: events committed after that belong to the next page.
      const { first, last } = await bounds()
      const { after, upTo } = rangeOf(query, last)
      const dropped = Math.max(0, first - 1 - after)
      const { where, values } = conditionsOf(query)
      const direction = isNewestFirst ? 'desc' : 'asc'
      const rows = await postgres.query<EventRecord & { seq: number }>(
        `select seq, ${columnList} from events where seq > $1 and seq <= $2 ${where} order by seq ${direction} limit $3`,
        [after, upTo, limit, ...values],
      )
      const taken = firstBytes(rows, mostBytesPerPage)
      const isWhole = taken.length === rows.length && rows.length < limit
      const events = taken.map((row) => toEvent(row.seq, row))
      const lastRead = isWhole ? undefined : events.at(-1)?.seq
      if (isNewestFirst)
        return { events, nextCursor: lastRead ?? Math.min(upTo + 1, first), dropped: isWhole ? dropped : 0 }
      return { events, nextCursor: lastRead ?? Math.max(after, upTo), dropped }
    },
    async dropOldest({ before, maxBytes }) {
      let dropped: DroppedEvents | undefined
      let isMakingRoom: boolean | undefined
      for (;;) {
        const step = await dropStep(postgres, { before, maxBytes, isMakingRoom })
        if (step.dropped === undefined) return dropped
        const { count, firstSeq, lastSeq } = step.dropped
        dropped = { count: count + (dropped?.count ?? 0), firstSeq: dropped?.firstSeq ?? firstSeq, lastSeq }
        isMakingRoom = step.isMakingRoom
      }
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}

const columnList = recordColumns.join(', ')

const boundsStatement = `select last_seq as last, coalesce((select min(seq) from events), 0) as first from event_log`

/** Takes the numbers, writes the events and notifies the other hubs in one statement, and so in one commit. */
const writeStatement = `
  with numbers as (
    update event_log set last_seq = last_seq + $1, bytes = bytes + $2 returning last_seq - $1 as before
  ), written as (
    insert into events (seq, ${columnList})
    select numbers.before + row.position, ${recordColumns.map((column) => `row.${column}`).join(', ')}
    from numbers, unnest(${recordColumns.map((_, index) => `$${index + 3}::text[]`).join(', ')})
      with ordinality as row (${columnList}, position)
  )
  select before, pg_notify('${channelName}', (before + $1)::text) from numbers`

async function writeGroup(postgres: PostgresAccess, records: readonly EventRecord[]): Promise<WriteResult> {
  const count = records.length
  const bytes = records.reduce((sum, record) => sum + bytesOf(record), 0)
  const columns = recordColumns.map((column) => records.map((record) => storable(record[column])))
  try {
    const rows = await postgres.query<{ before: number }>(writeStatement, [count, bytes, ...columns])
    return { is: 'written', count, firstSeq: rows[0]!.before + 1 }
  } catch (error) {
    const message = `PostgreSQL did not take the events (${messageOf(error)}). Check that it is up and has space left.`
    return { is: 'failed', count, error: new HubError('unavailable', message, { cause: error }) }
  }
}

/** PostgreSQL text cannot hold the NUL character. In the payload, JSON has escaped it already. */
function storable(value: string | null): string | null {
  return value?.replaceAll('\0', '\ufffd') ?? null
}

/** As many records as fit into the size, and at least one. */
function firstBytes<R extends EventRecord>(records: readonly R[], most: number): readonly R[] {
  let bytes = 0
  const end = records.findIndex((record, index) => (bytes += bytesOf(record)) > most && index > 0)
  return end === -1 ? records : records.slice(0, end)
}

/** Conditions on fields and times. Their parameters follow the three that every query has. */
function conditionsOf(query: EventQuery): { where: string; values: string[] } {
  const conditions: [condition: string, value: string][] = []
  const add = (condition: string, value: string | undefined): void => {
    if (value !== undefined) conditions.push([condition, value])
  }
  for (const name of filterColumns) add(`${name} =`, query[name])
  add('at >=', query.since)
  add('at <', query.until)
  return {
    where: conditions.map(([condition], index) => `and ${condition} $${index + 4}`).join(' '),
    values: conditions.map(([, value]) => value),
  }
}

interface DropStep {
  readonly before: string
  readonly maxBytes: number
  /** The result of the previous step, or undefined for the first. */
  readonly isMakingRoom: boolean | undefined
}

interface DropResult {
  readonly dropped: DroppedEvents | undefined
  readonly isMakingRoom: boolean
}

/** Runs one small step. Only one hub at a time gets the lock; the others drop nothing. */
function dropStep(
  postgres: PostgresAccess,
  { before, maxBytes, isMakingRoom: wasMakingRoom }: DropStep,
): Promise<DropResult> {
  return postgres.transaction(async (query) => {
    const [state] = await query<{ locked: boolean; bytes: number; last: number }>(
      `select pg_try_advisory_xact_lock(${dropLock}) as locked, bytes, last_seq as last from event_log`,
    )
    if (state?.locked !== true) return { dropped: undefined, isMakingRoom: false }
    const most = wasMakingRoom === true ? maxBytes * (1 - roomToMake) : maxBytes
    const isMakingRoom = wasMakingRoom !== false && state.bytes > most
    const [dropped] = await query<DroppedEvents>(dropStatement, [state.last, isMakingRoom, before])
    return { dropped: dropped?.count === 0 ? undefined : dropped, isMakingRoom }
  })
}

/** Removes the oldest events up to the last one that must go, but never the newest event. */
const dropStatement = `
  with oldest as (
    select seq, at from events where seq < $1 order by seq limit ${rowsPerDrop}
  ), removed as (
    delete from events where seq <= (select max(seq) from oldest where $2 or at < $3)
    returning seq, octet_length(payload) + 300 as bytes
  ), counted as (
    select count(*) as count, min(seq) as first, max(seq) as last, coalesce(sum(bytes), 0)::int8 as bytes from removed
  ), noted as (
    update event_log set bytes = event_log.bytes - counted.bytes from counted where counted.count > 0
  )
  select count, first as "firstSeq", last as "lastSeq" from counted`
