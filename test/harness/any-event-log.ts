/** The event log as the tests of its engines use it: to an engine it does not matter which events it keeps. */
import type { EventPlace } from '../../src/api/event.ts'
import type { Appended, EventLog, EventLogDeps, EventLogOptions } from '../../src/events/events.ts'
import { openEventLog } from '../../src/events/events.ts'

export interface AnyEvent extends EventPlace {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface AnyEventLog extends Omit<EventLog, 'append' | 'appendLater'> {
  append(event: AnyEvent): Promise<Appended>
  appendLater(event: AnyEvent): void
}

export const openAnyEventLog: (options: EventLogOptions, deps: EventLogDeps) => Promise<AnyEventLog> = openEventLog
