/**
 * The indexes of the SQLite log. Each commit writes at least one page of each index it touches, so there are few. A
 * query without one reads the log in the order of `seq`, about 0.4 s of CPU per million events.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { EventQuery } from './event-log.ts'
import { filterColumns } from './event-storage.ts'

/** Every call writes these two, so a query for them finds many wherever it reads. */
const frequentTypes: readonly string[] = ['tool-called', 'tool-answered']
/** SQLite uses a partial index only for a query that repeats its condition word for word. */
const isRareType = `type not in (${frequentTypes.map((type) => `'${type}'`).join(', ')})`

/** A log of an older release gets them too. They do not change its version, because that release can still use it. */
export function createIndexes(database: DatabaseSync): void {
  database.exec(`
    drop index if exists events_by_type;
    drop index if exists events_by_route;
    create index if not exists events_by_correlation on events (correlation) where correlation is not null;
    create index if not exists events_by_session on events (session) where session is not null;
    create index if not exists events_by_thread on events (thread) where thread is not null;
    create index if not exists events_by_rare_type on events (type) where ${isRareType}`)
}

/** The conditions of the fields that a query filters by. */
export function fieldConditions(query: EventQuery): { readonly conditions: string[]; readonly values: string[] } {
  const fields = filterColumns.filter((name) => query[name] !== undefined)
  // Only the first column uses an index. The "+" keeps SQLite from choosing another.
  const conditions = fields.map((name, index) => `${index === 0 ? '' : '+'}${name} = ?`)
  if (fields[0] === 'type' && !frequentTypes.includes(query.type!)) conditions.push(isRareType)
  return { conditions, values: fields.map((name) => query[name]!) }
}
