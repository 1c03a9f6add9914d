/**
 * Inside a transaction, only the handle that its callback gets may be used. The outer handle would wait for the very
 * transaction that waits for it (SQLite has one database connection), or silently work outside of it (PostgreSQL). The
 * guard turns both into an immediate error.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely } from 'kysely'
import type { ConnectionBuilder, Dialect, Driver, TransactionBuilder } from 'kysely'

/** A Kysely that refuses its outer handle inside its own transactions. */
export function createGuardedKysely<T>(dialect: Dialect): Kysely<T> {
  const guard = new TransactionGuard()
  return new GuardedKysely<T>(guardedDialect(dialect, guard), guard)
}

class TransactionGuard {
  readonly #inside = new AsyncLocalStorage<{ isOpen: boolean }>()

  async run<R>(work: () => Promise<R>): Promise<R> {
    const transaction = { isOpen: true }
    try {
      return await this.#inside.run(transaction, work)
    } finally {
      // Work that a callback left running may use the outer handle again.
      transaction.isOpen = false
    }
  }

  refuseInside(): void {
    if (this.#inside.getStore()?.isOpen !== true) return
    throw new Error(
      'The store was used from inside one of its own transactions. Use the handle that the callback gets.',
    )
  }
}

class GuardedKysely<T> extends Kysely<T> {
  readonly #guard: TransactionGuard

  constructor(dialect: Dialect, guard: TransactionGuard) {
    super({ dialect })
    this.#guard = guard
  }

  override transaction(): TransactionBuilder<T> {
    return this.#guarded(super.transaction())
  }

  override connection(): ConnectionBuilder<T> {
    const builder = super.connection()
    const execute = builder.execute.bind(builder)
    builder.execute = (work, options) => execute((handle) => this.#guard.run(() => work(handle)), options)
    return builder
  }

  override startTransaction(): never {
    throw new Error('Use transaction().execute(…): a transaction without a callback cannot be guarded.')
  }

  #guarded(builder: TransactionBuilder<T>): TransactionBuilder<T> {
    const execute = builder.execute.bind(builder)
    const setAccessMode = builder.setAccessMode.bind(builder)
    const setIsolationLevel = builder.setIsolationLevel.bind(builder)
    builder.execute = (work) => execute((handle) => this.#guard.run(() => work(handle)))
    builder.setAccessMode = (mode) => this.#guarded(setAccessMode(mode))
    builder.setIsolationLevel = (level) => this.#guarded(setIsolationLevel(level))
    return builder
  }
}

function guardedDialect(dialect: Dialect, guard: TransactionGuard): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => guardedDriver(dialect.createDriver(), guard),
  }
}

function guardedDriver(driver: Driver, guard: TransactionGuard): Driver {
  const acquireConnection = driver.acquireConnection.bind(driver)
  driver.acquireConnection = async (options) => {
    guard.refuseInside()
    return acquireConnection(options)
  }
  return driver
}
