import { expect, inject, test } from 'vitest'
import type { AnyEventLog } from '../../test/harness/any-event-log.ts'
import { openAnyEventLog } from '../../test/harness/any-event-log.ts'
import { createDatabase, runSql } from '../../test/postgres.ts'
import { createRedactor } from '../base/redact.ts'
import { openStore } from '../store/store.ts'
import type { EventLogDeps } from './events.ts'

/** Opens several hubs on one database, each with its own connections. */
async function openHubs(count: number, deps: Partial<EventLogDeps> = {}) {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await createDatabase(inject('postgresUrl')))
  const open = async (): Promise<AnyEventLog> => {
    const { postgres } = stack.use(await openStore({ databaseUrl: database.url }))
    const defaults = { redactor: createRedactor(), retention: { maxAgeMs: 1e10, maxBytes: 1e9 } }
    return stack.use(await openAnyEventLog({ engine: 'postgres', postgres: postgres! }, { ...defaults, ...deps }))
  }
  const logs = await Promise.all(Array.from({ length: count }, open))
  return { logs, database, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a reader never sees a lower number later, with any hubs writing', async () => {
  await using hubs = await openHubs(4)
  const [reader, ...writers] = hubs.logs as [AnyEventLog, ...AnyEventLog[]]
  const total = 1_500
  const writing = writers.map(async (log, hub) => {
    for (let n = 0; n < total / writers.length / 5; n++) {
      await Promise.all(
        Array.from({ length: 5 }, () => log.append({ type: 'tool-called', session: `hub${hub}`, payload: { n } })),
      )
    }
  })
  const seen: number[] = []
  for (let cursor = 0; cursor < total;) {
    const page = await reader.read({ cursor, limit: 50 })
    seen.push(...page.events.map(({ seq }) => seq))
    cursor = page.nextCursor
    if (cursor < total) await reader.waitBeyond(cursor, { timeoutMs: 10_000 })
  }
  await Promise.all(writing)
  expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1))
})

test('an append at one hub wakes a reader at another', async () => {
  await using hubs = await openHubs(2)
  const [here, there] = hubs.logs as [AnyEventLog, AnyEventLog]
  const heard: number[] = []
  here.onCommit((seq) => heard.push(seq))
  const woken = here.waitBeyond(0, { timeoutMs: 60_000 })
  await there.append({ type: 'a', payload: {} })
  expect(await woken).toBe(true)
  expect(here.lastSeq).toBe(1)
  expect(heard).toEqual([1])
})

test('a hub catches up on events it missed while its connection for notices was broken', async () => {
  await using hubs = await openHubs(2)
  const [here, there] = hubs.logs as [AnyEventLog, AnyEventLog]
  const woken = here.waitBeyond(0, { timeoutMs: 60_000 })
  await runSql(hubs.database.url, `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'`)
  await there.append({ type: 'a', payload: {} })
  expect(await woken).toBe(true)
})

test('hubs that drop old events at the same time drop each event once', async () => {
  let now = Date.UTC(2026, 0, 1)
  await using hubs = await openHubs(3, {
    now: () => new Date(now),
    retention: { maxAgeMs: 1_000, maxBytes: 1e9, everyMs: 5 },
  })
  const [log] = hubs.logs as [AnyEventLog]
  await Promise.all(Array.from({ length: 5_000 }, (_, n) => log.append({ type: 'a', payload: { n } })))
  now += 3_600_000
  await log.append({ type: 'last', payload: {} })
  let dropped = 0
  for (let cursor = 0; dropped < 5_000;) {
    const page = await log.read({ type: 'events-dropped', cursor })
    for (const { payload } of page.events) dropped += Number(payload['count'])
    cursor = page.nextCursor
    if (dropped < 5_000) await log.waitBeyond(cursor, { timeoutMs: 10_000 })
  }
  expect(dropped).toBe(5_000)
})

test('appends fail with advice when the table is gone', async () => {
  await using hubs = await openHubs(1)
  const [log] = hubs.logs as [AnyEventLog]
  await runSql(hubs.database.url, 'drop table events')
  await expect(log.append({ type: 'a', payload: {} })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/PostgreSQL did not take the events .* Check that it is up/),
  })
})
