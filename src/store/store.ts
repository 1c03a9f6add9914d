/**
 * The store: SQLite in the data directory, or PostgreSQL by URL, behind one query language. It has two handles for two
 * classes of durability. Each feature keeps its SQL in one file and takes the handle it needs.
 */
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { PostgresAccess } from '../base/postgres-access.ts'
import { explainSqliteError, openSqliteFile, sqliteErrorCode } from '../base/sqlite-file.ts'
import { migrate } from './migrate.ts'
import { hubMigrations, transientMigrations } from './migrations/migrations.ts'
import type { MigrationSet } from './migrations/migrations.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { createGuardedKysely } from './transaction-guard.ts'
import type { Tables, TransientTables } from './tables.ts'

export type * from './tables.ts'

export interface Store extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres'
  /** Data that people decided or own. A commit survives a power cut. */
  readonly db: Kysely<Tables>
  /** Data that keeps MCP connections alive. A commit survives a killed hub. A power cut may lose the last moments. */
  readonly transient: Kysely<TransientTables>
  /** For engines with SQL of their own; undefined on SQLite. */
  readonly postgres: PostgresAccess | undefined
}

export type StoreOptions = { readonly sqliteDir: string } | { readonly databaseUrl: string }

/** Opens the store and brings its schema up to date. Fails with a HubError that says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return 'databaseUrl' in options ? openOnPostgres(options.databaseUrl) : openOnSqlite(options.sqliteDir)
}

async function openOnSqlite(directory: string): Promise<Store> {
  await using opened = new AsyncDisposableStack()
  const open = async <T>(file: string, durability: 'full' | 'normal', migrations: MigrationSet): Promise<Kysely<T>> => {
    const path = join(directory, file)
    const database = openSqliteFile(path, { durability, busyTimeoutMs: busyTimeoutMs, checkPages: true })
    const handle = opened.adopt(createGuardedKysely<T>(createSqliteDialect(database)), (kysely) => kysely.destroy())
    await migrate(handle, migrations, { engine: 'sqlite', place: path }).catch((error: unknown) => {
      throw sqliteErrorCode(error) === undefined ? error : explainSqliteError(error, path)
    })
    return handle
  }
  const db = await open<Tables>('hub.db', 'full', hubMigrations)
  const transient = await open<TransientTables>('connections.db', 'normal', transientMigrations)
  return { engine: 'sqlite', db, transient, postgres: undefined, ...disposerOf(opened) }
}

/** Long enough for a page check by another process, short enough not to look like a hang. */
const busyTimeoutMs = 5_000

async function openOnPostgres(databaseUrl: string): Promise<Store> {
  // Loaded lazily: most hubs never need it, and all start faster.
  const { openPostgres } = await import('./postgres.ts')
  await using opened = new AsyncDisposableStack()
  const postgres = opened.use(await openPostgres(databaseUrl))
  const open = async <T>(migrations: MigrationSet): Promise<Kysely<T>> => {
    const handle = opened.adopt(createGuardedKysely<T>(postgres.createDialect()), (kysely) => kysely.destroy())
    await migrate(handle, migrations, { engine: 'postgres', place: postgres.place })
    return handle
  }
  const db = await open<Tables>(hubMigrations)
  const transient = await open<TransientTables>(transientMigrations)
  return { engine: 'postgres', db, transient, postgres: postgres.access, ...disposerOf(opened) }
}

/** Moves the open handles to the store, so that they are closed with the store and not when the caller returns. */
function disposerOf(opened: AsyncDisposableStack): AsyncDisposable {
  const kept = opened.move()
  return { [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
