/** The tables of the event log in PostgreSQL. */
import { HubError } from '../base/hub-error.ts'
import type { PostgresAccess } from '../base/postgres-access.ts'

const schemaVersion = 1
/** An arbitrary number that all hubs share, so that two hubs that start at once take turns. */
const schemaLock = 7_420_002

export async function createPostgresSchema(postgres: PostgresAccess): Promise<void> {
  await postgres.transaction(async (query) => {
    await query('select pg_advisory_xact_lock($1)', [schemaLock])
    for (const statement of schemaStatements) await query(statement)
    const [log] = await query<{ version: number }>('select version from event_log')
    if (log === undefined || log.version > schemaVersion) {
      const message =
        'The event log in PostgreSQL was written by a newer signalbox. Install that version or a later one.'
      throw new HubError('unavailable', message)
    }
  })
}

const schemaStatements = [
  `create table if not exists event_log (
    only_row integer primary key check (only_row = 1),
    version integer not null,
    last_seq bigint not null,
    bytes bigint not null
  )`,
  `insert into event_log (only_row, version, last_seq, bytes) values (1, ${schemaVersion}, 0, 0) on conflict do nothing`,
  // Times are compared as text, so the collation must not depend on the language of the database.
  `create table if not exists events (
    seq bigint primary key,
    id text not null,
    type text not null,
    at text collate "C" not null,
    session text,
    thread text,
    correlation text,
    parent text,
    route text,
    provider text,
    payload text not null
  )`,
  'create index if not exists events_by_session on events (session, seq) where session is not null',
  'create index if not exists events_by_correlation on events (correlation, seq) where correlation is not null',
  'create index if not exists events_by_type on events (type, seq)',
  'create index if not exists events_by_thread on events (thread, seq) where thread is not null',
  'create index if not exists events_by_route on events (route, seq) where route is not null',
  'create index if not exists events_by_time on events (at)',
]
