/** PostgreSQL by URL: one pool for all handles, and errors that say what to do. */
import pg from 'pg'
import { PostgresDialect } from 'kysely'
import type { Dialect } from 'kysely'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { PostgresAccess } from '../base/postgres-access.ts'
import { listenOn } from './postgres-listen.ts'

export interface Postgres extends AsyncDisposable {
  /** The database in words for people, without user and password. */
  readonly place: string
  readonly access: PostgresAccess
  createDialect(): Dialect
}

export async function openPostgres(databaseUrl: string): Promise<Postgres> {
  const place = placeOf(databaseUrl)
  const settings: pg.PoolConfig = {
    connectionString: databaseUrl,
    application_name: 'signalbox',
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser },
  }
  const pool = new pg.Pool({ ...settings, max: 10 })
  // The pool replaces an idle connection that breaks. Without a listener, the event would end the process.
  pool.on('error', () => {})
  try {
    const { rows } = await pool.query<{ server_encoding: string }>('show server_encoding')
    if (rows[0]?.server_encoding !== 'UTF8') {
      throw new HubError(
        'unavailable',
        `${place} is not encoded in UTF8. Create a new database with "ENCODING 'UTF8'".`,
      )
    }
  } catch (error) {
    await pool.end()
    throw error instanceof HubError ? error : unreachable(place, error)
  }
  return {
    place,
    access: { ...accessTo(pool), listen: (channel, listener) => listenOn({ settings, channel, listener }) },
    // Two handles share the pool, so neither may end it.
    createDialect: () =>
      new PostgresDialect({ pool: { connect: () => pool.connect(), end: async () => {}, options: {} } }),
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

function accessTo(pool: pg.Pool): Pick<PostgresAccess, 'query' | 'transaction'> {
  const query =
    (client: pg.Pool | pg.PoolClient): PostgresAccess['query'] =>
    async <Row>(sql: string, parameters: readonly unknown[] = []) =>
      (await client.query(sql, [...parameters])).rows as Row[]
  return {
    query: query(pool),
    async transaction(work) {
      const client = await pool.connect()
      let failure: Error | undefined
      try {
        await client.query('begin')
        const result = await work(query(client))
        await client.query('commit')
        return result
      } catch (error) {
        // The pool discards a connection that cannot roll back.
        await client.query('rollback').catch((broken: Error) => (failure = broken))
        throw error
      } finally {
        client.release(failure)
      }
    },
  }
}

/** Counts are int8, which `pg` returns as text. The hub's counts stay far below 2⁵³. */
const int8Type: number = pg.types.builtins.INT8
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === int8Type ? Number : pg.types.getTypeParser(id, format)

function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new HubError(
      'invalid',
      'DATABASE_URL is not a PostgreSQL URL. Use the form postgres://user:password@host:5432/database.',
    )
  }
  return `the PostgreSQL database ${url.pathname.slice(1) || 'of the user'} on ${url.host || 'this machine'}`
}

function unreachable(place: string, error: unknown): HubError {
  // A refused connection is an AggregateError without a message of its own.
  const reason =
    messageOf(error) || (error instanceof Error && 'code' in error ? String(error.code) : 'no reason given')
  return new HubError(
    'unavailable',
    `Cannot reach ${place} (${reason}). Check that it runs and that DATABASE_URL names the right host, user and database.`,
    { cause: error },
  )
}
