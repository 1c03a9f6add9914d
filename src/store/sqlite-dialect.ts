/**
 * Kysely on `node:sqlite`. Kysely's own SQLite dialect expects another driver. It also lets the outer handle wait for ever
 * inside a transaction before our guard sees it, so this driver queues for the one database connection itself.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'

export function createSqliteDialect(database: DatabaseSync): Dialect {
  return {
    createAdapter: () => new QueuedAdapter(),
    createDriver: () => new SqliteDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Allows several requests for a database connection at once, because our driver queues them itself. */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #connection: SqliteConnection
  #last: Promise<void> = Promise.resolve()
  #release = (): void => {}

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#connection = new SqliteConnection(database)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    this.#release = resolve
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release()
  }

  async beginTransaction(): Promise<void> {
    // Takes the write lock at once. Taking it later fails if another process wrote in between.
    this.#database.exec('begin immediate')
  }

  async commitTransaction(): Promise<void> {
    this.#database.exec('commit')
  }

  async rollbackTransaction(): Promise<void> {
    // SQLite rolls back by itself if the disk is full.
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint "${name}"`))
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to "${name}"`))
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release "${name}"`))
  }

  async destroy(): Promise<void> {
    this.#database.close()
  }
}

/** Preparing a statement costs more than most of our queries, and there are few different ones. */
const mostPrepared = 200

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#prepare(sql)
    const values = parameters as SQLInputValue[]
    if (statement.columns().length > 0) {
      // Rows of node:sqlite have no prototype, which breaks comparisons in tests and callers.
      return { rows: statement.all(...values).map((row) => ({ ...row }) as R) }
    }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported. Read in pages.')
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    const oldest = this.#prepared.size < mostPrepared ? undefined : this.#prepared.keys().next().value
    if (oldest !== undefined) this.#prepared.delete(oldest)
    this.#prepared.set(sql, statement)
    return statement
  }
}
