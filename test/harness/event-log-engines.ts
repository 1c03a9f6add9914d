/** Runs a suite on each engine, with a fresh event log. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { createRedactor } from '../../src/base/redact.ts'
import type { EventLogDeps, EventLogOptions } from '../../src/events/events.ts'
import { openStore } from '../../src/store/store.ts'
import { createDatabase } from '../postgres.ts'
import type { AnyEventLog } from './any-event-log.ts'
import { openAnyEventLog } from './any-event-log.ts'

export interface OpenedEventLog {
  readonly log: AnyEventLog
  /** Closes the log and opens it again, as the next hub does. */
  reopen(deps?: Partial<EventLogDeps>): Promise<AnyEventLog>
  [Symbol.asyncDispose](): Promise<void>
}

export type OpenEventLog = (deps?: Partial<EventLogDeps>) => Promise<OpenedEventLog>

export function describeLogOnEachEngine(name: string, suite: (open: OpenEventLog) => void): void {
  describe.each([
    ['sqlite', openOnSqlite],
    ['postgres', openOnPostgres],
  ] as const)(`${name} on %s`, (_, open) => suite(open))
}

const openOnSqlite: OpenEventLog = async (deps) => {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-events-'))
  const stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true }))
  return opened(stack, { engine: 'sqlite', path: join(directory, 'events.db') }, deps)
}

const openOnPostgres: OpenEventLog = async (deps) => {
  const stack = new AsyncDisposableStack()
  const database = await createDatabase(inject('postgresUrl'), inject('postgresTemplate'))
  stack.use(database)
  const store = stack.use(await openStore({ databaseUrl: database.url }))
  return opened(stack, { engine: 'postgres', postgres: store.postgres! }, deps)
}

async function opened(stack: AsyncDisposableStack, options: EventLogOptions, deps: Partial<EventLogDeps> = {}) {
  const defaults = { redactor: createRedactor(), retention: { maxAgeMs: 1e10, maxBytes: 1e9 } }
  let current = await openAnyEventLog(options, { ...defaults, ...deps })
  stack.defer(async () => current[Symbol.asyncDispose]())
  return {
    log: current,
    async reopen(changed: Partial<EventLogDeps> = {}) {
      await current[Symbol.asyncDispose]()
      current = await openAnyEventLog(options, { ...defaults, ...deps, ...changed })
      return current
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
