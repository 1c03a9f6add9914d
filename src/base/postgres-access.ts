/** The part of PostgreSQL that engines besides the store need, so that only the store imports the driver. */
export interface PostgresAccess {
  /** Parameters are `$1`, `$2` …; int8 comes back as a number. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Several statements as one transaction: all or none. */
  transaction<T>(work: (query: PostgresAccess['query']) => Promise<T>): Promise<T>
  /**
   * Listens to `pg_notify` on a channel until disposed, over a database connection of its own that reconnects by itself.
   * `onGap` means that notifications may have been missed, and that the listener must read the data itself.
   */
  listen(channel: string, listener: PostgresListener): Promise<AsyncDisposable>
}

export interface PostgresListener {
  onNotice(payload: string): void
  onGap(): void
}
