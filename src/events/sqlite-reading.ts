/**
 * Reads the log in windows of seq, each short enough for one slice of time, with turns of the event loop between them.
 * A query over millions of events takes long but does not block the hub.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LoggedEvent } from '../api/event.ts'
import type { EventQuery } from './event-log.ts'
import type { EventRecord } from './event-record.ts'
import { recordColumns, toEvent } from './event-record.ts'
import type { EventStorage, SeqRange } from './event-storage.ts'
import { rangeOf } from './event-storage.ts'
import { fieldConditions } from './sqlite-indexes.ts'
import type { Turns } from './turns.ts'

const sliceMs = 0.6
const firstWindow = 512
const smallestWindow = 64
/** A page ends early above this size, so that large events do not fill the memory. */
const mostBytesPerPage = 1024 * 1024

export interface ReadingDeps {
  readonly turns: Turns
  readonly lastSeq: () => number
}

export function createReading(database: DatabaseSync, { turns, lastSeq }: ReadingDeps): EventStorage['read'] {
  const firstStatement = database.prepare('select min(seq) as seq from events')
  const seqAt = createSeqAt(database)
  const selections = new Map<string, StatementSync>()
  const selectionFor = (conditions: readonly string[], direction: 'asc' | 'desc'): StatementSync => {
    const where = ['seq > ?', 'seq <= ?', ...conditions].join(' and ')
    const sql = `select seq, ${recordColumns.join(', ')} from events where ${where} order by seq ${direction}`
    const known = selections.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    selections.set(sql, statement)
    return statement
  }

  return async (query) => {
    const { since, until } = query
    const isNewestFirst = query.order === 'newest'
    const { after: cursor, upTo: last } = rangeOf(query, lastSeq())
    const firstKept = Number(firstStatement.get()?.['seq'] ?? 0)
    const sinceSeq = since === undefined ? 0 : seqAt(shifted(since, -clockSlackMs))
    const untilSeq = until === undefined ? last : seqAt(shifted(until, clockSlackMs))
    const { conditions, values } = conditionsOf(query)
    const selection = selectionFor(conditions, isNewestFirst ? 'desc' : 'asc')
    const page = startPage(query.limit)
    let window = firstWindow

    /** Reads for one slice of time, and returns the range that remains. */
    const readSlice = ({ after, upTo }: SeqRange): SeqRange => {
      const start = performance.now()
      const isOver = (): boolean => performance.now() - start > sliceMs
      const slice = isNewestFirst
        ? { after: Math.max(after, upTo - window), upTo }
        : { after, upTo: Math.min(upTo, after + window) }
      const restBeyond = (seq: number) => (isNewestFirst ? { after, upTo: seq - 1 } : { after: seq, upTo })
      for (const row of selection.iterate(slice.after, slice.upTo, ...values)) {
        const seq = page.add(row as unknown as StoredRow)
        if (page.isFull() || isOver()) return restBeyond(seq)
      }
      window = isOver() ? Math.max(smallestWindow, window >> 1) : window * 2
      return isNewestFirst ? { after, upTo: slice.after } : { after: slice.upTo, upTo }
    }
    let rest: SeqRange = { after: Math.max(cursor, firstKept - 1, sinceSeq), upTo: Math.min(last, untilSeq) }
    while (rest.after < rest.upTo && !page.isFull()) {
      const from = rest
      rest = await turns.take('read', () => readSlice(from))
    }
    const { events } = page
    const dropped = Math.max(0, firstKept - 1 - cursor)
    if (isNewestFirst) return { events, nextCursor: rest.upTo + 1, dropped: page.isFull() ? 0 : dropped }
    return { events, nextCursor: page.isFull() ? rest.after : Math.max(cursor, last), dropped }
  }
}

type StoredRow = EventRecord & { readonly seq: number }

function conditionsOf(query: EventQuery): ReturnType<typeof fieldConditions> {
  const { conditions, values } = fieldConditions(query)
  if (query.since !== undefined) {
    conditions.push('at >= ?')
    values.push(query.since)
  }
  if (query.until !== undefined) {
    conditions.push('at < ?')
    values.push(query.until)
  }
  return { conditions, values }
}

function startPage(limit: number): { events: LoggedEvent[]; add(row: StoredRow): number; isFull(): boolean } {
  const events: LoggedEvent[] = []
  let bytes = 0
  return {
    events,
    add(row) {
      events.push(toEvent(row.seq, row))
      bytes += row.payload.length
      return row.seq
    },
    isFull: () => events.length >= limit || bytes >= mostBytesPerPage,
  }
}

/** How far the machine's clock may go back between two events before `since` and `until` miss one. */
const clockSlackMs = 60_000

/** Times are compared as text, so the result stays within years of four digits. */
function shifted(time: string, byMs: number): string {
  const at = Math.min(Math.max(Date.parse(time) + byMs, Date.UTC(1970)), Date.UTC(9999, 11, 31))
  return new Date(at).toISOString()
}

/** Finds the last seq before a time by binary search. Time grows with seq, so it needs no index. */
function createSeqAt(database: DatabaseSync): (time: string) => number {
  const bounds = database.prepare('select min(seq) as first, max(seq) as last from events')
  const at = database.prepare('select at from events where seq = ?')
  return (time) => {
    const row = bounds.get()
    let low = Number(row?.['first'] ?? 1)
    let high = Number(row?.['last'] ?? 0) + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (String(at.get(middle)?.['at']) < time) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
