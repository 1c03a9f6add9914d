/** One line of the log. `seq` only grows; it is the cursor readers go by. */
export interface Event extends NewEvent {
  readonly seq: number
  readonly id: string
  /** ISO 8601 UTC */
  readonly at: string
}

/** What an appender gives; the log adds `seq`, `id` and `at`. */
export interface NewEvent {
  /** noun-verb in the past: `token-issued`, `tool-called` */
  readonly type: string
  readonly session?: string
  readonly thread?: string
  /** shared by all events of one call, over all hops */
  readonly correlation?: string
  /** the `id` of the event that caused this one */
  readonly parent?: string
  readonly route?: string
  readonly provider?: string
  readonly payload: Readonly<Record<string, unknown>>
}
