import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { AnyEventLog } from '../../test/harness/any-event-log.ts'
import { openAnyEventLog } from '../../test/harness/any-event-log.ts'
import { requires } from '../../test/harness/requires.ts'
import { createRedactor } from '../base/redact.ts'
import type { EventQuery } from './event-log.ts'
import { fieldConditions } from './sqlite-indexes.ts'

/** Limits the size of files and lifts the limit again, which simulates a full disk for one process. */
const prlimit = requires('prlimit')
const appender = fileURLToPath(new URL('../../test/fixtures/append-events.ts', import.meta.url))

function open(path: string): Promise<AnyEventLog> {
  const retention = { maxAgeMs: 1e10, maxBytes: 1e10 }
  return openAnyEventLog({ engine: 'sqlite', path }, { redactor: createRedactor(), retention })
}

function startAppender(
  path: string,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath],
): { child: ChildProcess; lines: AsyncIterator<string> } {
  const child = spawn(program, [...args, appender, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

test('a hub that is killed while appending never loses an acknowledged event', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  let acknowledged = 0
  for (const count of [1, 700, 3_000]) {
    const { child, lines } = startAppender(path)
    for (let seen = 0; seen < count; seen++) acknowledged = Number((await lines.next()).value)
    child.kill('SIGKILL')
    // Lines that it printed before it died count too.
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) acknowledged = Number(line.value)

    using database = new DatabaseSync(path)
    expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    const rows = database.prepare('select count(*) as count, max(seq) as last from events').get()
    expect(rows?.['count']).toBe(rows?.['last'])
    expect(rows?.['last']).toBeGreaterThanOrEqual(acknowledged)
    expect(database.prepare('select count(*) as count from events where not json_valid(payload)').get()).toEqual({
      count: 0,
    })
  }
  await using log = await open(path)
  expect(log.lastSeq).toBeGreaterThanOrEqual(acknowledged)
})

// The queue is the same before each engine.
test('an append fails as busy when 50,000 others are waiting, and the earlier ones succeed', async () => {
  await using log = await open(join(temporaryDirectory(), 'events.db'))
  const called = { type: 'tool-called', payload: {} }
  const appends = Array.from({ length: 50_000 }, () => log.append(called))
  await expect(log.append(called)).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('Try again'),
  })
  expect(await Promise.all(appends)).toHaveLength(50_000)
  expect((await log.append(called)).seq).toBe(50_001)
})

prlimit.describe('on a full disk', () => {
  test('appends fail while the disk is full, and succeed once there is space again', async () => {
    const path = join(temporaryDirectory(), 'events.db')
    const { child, lines } = startAppender(path, [prlimit.path, '--fsize=3000000:unlimited', process.execPath])
    let written = 0
    const next = async (): Promise<string> => String((await lines.next()).value)
    let line = await next()
    for (; /^\d+$/.test(line); line = await next()) written = Number(line)
    expect(line).toMatch(/^failed unavailable: (There is no space left for|The disk failed while) .*events\.db/)
    expect(written).toBeGreaterThan(0)

    const raised = spawnSync(prlimit.path, [`--pid=${child.pid}`, '--fsize=unlimited:unlimited'])
    expect(raised.status).toBe(0)
    child.stdin!.write('there is space again\n')
    expect(Number(await next())).toBe(written + 1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await using log = await open(path)
    expect(log.lastSeq).toBeGreaterThan(written)
  })
})

test('appends wait while another process has locked the file, and then succeed', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  await using log = await open(path)
  await log.append({ type: 'a', payload: {} })
  using other = new DatabaseSync(path)
  other.exec('begin immediate')
  const single = log.append({ type: 'b', payload: {} })
  const several = Promise.all([log.append({ type: 'c', payload: {} }), log.append({ type: 'd', payload: {} })])
  expect(await log.waitBeyond(1, { timeoutMs: 50 })).toBe(false)
  expect((await log.read({})).events).toHaveLength(1)
  other.exec('rollback')
  expect([await single, ...(await several)].map(({ seq }) => seq)).toEqual([2, 3, 4])
})

test('an event counts the outcomes that could not be written, as soon as the log can be written again', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  await using log = await open(path)
  using other = new DatabaseSync(path)
  other.exec('alter table events rename to away')
  for (const tool of ['a', 'b']) log.appendLater({ type: 'tool-answered', payload: { tool } })
  await expect(log.append({ type: 'tool-called', payload: {} })).rejects.toThrow()
  other.exec('alter table away rename to events')
  log.appendLater({ type: 'tool-answered', payload: { tool: 'c' } })
  const { events } = await log.read({})
  expect(events.map(({ type, payload }) => ({ type, ...payload }))).toEqual([
    { type: 'calls-unrecorded', calls: 0, outcomes: 2 },
    { type: 'tool-answered', tool: 'c' },
  ])
})

test('the file is private, and the write-ahead log stays small under heavy writing', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  await using log = await open(path)
  const text = 'x'.repeat(2_000)
  for (let round = 0; round < 100; round++) {
    await Promise.all(
      Array.from({ length: 250 }, () => log.append({ type: 'tool-called', session: 's', payload: { text } })),
    )
  }
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600)
  // 50 MB were written. Without checkpoints, the write-ahead log would hold all of them.
  expect(statSync(`${path}-wal`).size).toBeLessThan(30_000_000)
  expect(statSync(path).size).toBeGreaterThan(20_000_000)
  expect((await log.read({ cursor: 24_990 })).events).toHaveLength(10)
})

test('after closing, all data is in one file', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  const log = await open(path)
  await log.append({ type: 'a', payload: {} })
  await log[Symbol.asyncDispose]()
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('a search through the whole log lets other work run in between', async () => {
  await using log = await open(join(temporaryDirectory(), 'events.db'))
  for (let round = 0; round < 40; round++) {
    await Promise.all(Array.from({ length: 500 }, () => log.append({ type: 'a', payload: {} })))
  }
  let turns = 0
  const count = (): void => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  expect((await log.read({ type: 'a', route: 'nowhere' })).events).toEqual([])
  clearImmediate(immediate)
  expect(turns).toBeGreaterThan(3)
})

test('a query for few events uses an index, also in a log of an older release', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  await (await open(path))[Symbol.asyncDispose]()
  {
    using older = new DatabaseSync(path)
    older.exec(
      `drop index events_by_thread; drop index events_by_rare_type; create index events_by_type on events (type)`,
    )
  }
  await using log = await open(path)
  await log.append({ type: 'a', thread: 't', session: 's', correlation: 'c', payload: {} })
  using database = new DatabaseSync(path)
  const planOf = (query: EventQuery): string => {
    const { conditions, values } = fieldConditions(query)
    const sql = `explain query plan select * from events where seq > 0 and ${conditions.join(' and ')}`
    return database
      .prepare(sql)
      .all(...values)
      .map(({ detail }) => detail)
      .join()
  }
  expect(planOf({ type: 'a', correlation: 'c' })).toContain('events_by_correlation')
  expect(planOf({ type: 'a', session: 's' })).toContain('events_by_session')
  expect(planOf({ type: 'tool-called', thread: 't' })).toContain('events_by_thread')
  expect(planOf({ type: 'a', route: 'r' })).toContain('events_by_rare_type')
  expect(planOf({ type: 'tool-called' })).toContain('INTEGER PRIMARY KEY')
})

test('the file shrinks when the size limit is lowered', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  const text = 'x'.repeat(2_000)
  {
    await using log = await open(path)
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 500 }, () => log.append({ type: 'a', payload: { text } })))
    }
  }
  const before = statSync(path).size
  const retention = { maxAgeMs: 1e10, maxBytes: 1_000_000, everyMs: 5 }
  await using log = await openAnyEventLog({ engine: 'sqlite', path }, { redactor: createRedactor(), retention })
  await log.waitBeyond(log.lastSeq, { timeoutMs: 30_000 })
  await log[Symbol.asyncDispose]()
  expect(before).toBeGreaterThan(9_000_000)
  expect(statSync(path).size).toBeLessThan(1_500_000)
})

test('a damaged file and a file of a newer signalbox are refused with advice', async () => {
  const path = join(temporaryDirectory(), 'events.db')
  writeFileSync(path, 'this is no database, but text '.repeat(500))
  await expect(open(path)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('is damaged or not a database'),
  })
  expect(readFileSync(path, 'utf8')).toContain('this is no database')

  const newer = join(temporaryDirectory(), 'events.db')
  await (await open(newer))[Symbol.asyncDispose]()
  {
    using database = new DatabaseSync(newer)
    database.exec('pragma user_version = 99')
  }
  await expect(open(newer)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('newer signalbox'),
  })
})
