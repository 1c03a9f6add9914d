/** The little of PostgreSQL that engines besides the store need, so that only the store knows its driver. */
export interface PostgresAccess {
  /** Parameters are `$1`, `$2` …; int8 comes back as a number. */
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>
  /** Several statements as one: all or none. */
  transaction<T>(work: (query: PostgresAccess['query']) => Promise<T>): Promise<T>
  /**
   * Hears `pg_notify` on a channel until disposed, over a connection of its own that comes back by itself.
   * `onGap` tells that notices may have been missed: look for yourself.
   */
  listen(channel: string, listener: PostgresListener): Promise<AsyncDisposable>
}

export interface PostgresListener {
  onNotice(payload: string): void
  onGap(): void
}
