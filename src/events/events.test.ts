import { expect, test } from 'vitest'
import type { AnyEvent, AnyEventLog } from '../../test/harness/any-event-log.ts'
import { describeLogOnEachEngine } from '../../test/harness/event-log-engines.ts'
import type { LoggedEvent } from '../api/event.ts'
import { HubError, ToldError } from '../base/hub-error.ts'
import { createLog } from '../base/log.ts'
import { createRedactor, redactedText } from '../base/redact.ts'
import type { Appended } from './events.ts'
import type { EventQuery } from './event-log.ts'

class OtherToldError extends ToldError {
  override readonly name = 'OtherToldError'
  readonly code = -32005
}

function called(n: number, more: Partial<AnyEvent> = {}): AnyEvent {
  return { type: 'tool-called', payload: { n }, ...more }
}

function appendMany(log: AnyEventLog, count: number, more: Partial<AnyEvent> = {}): Promise<Appended[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => log.append(called(n, more))))
}

/** Reads all matching events, page by page. */
async function readAll(log: AnyEventLog, query: EventQuery = {}): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (let cursor = query.cursor ?? 0; ;) {
    const page = await log.read({ ...query, cursor })
    events.push(...page.events)
    if (page.nextCursor === cursor) return events
    cursor = page.nextCursor
  }
}

const numbers = (events: readonly LoggedEvent[]): unknown[] => events.map(({ payload }) => payload['n'])

/** Follows the log until an event of this type appears. */
async function waitFor(log: AnyEventLog, type: string): Promise<LoggedEvent> {
  for (let cursor = 0; ;) {
    const page = await log.read({ type, cursor })
    if (page.events[0] !== undefined) return page.events[0]
    cursor = page.nextCursor
    await log.waitBeyond(cursor, { timeoutMs: 10_000 })
  }
}

describeLogOnEachEngine('the event log', (open) => {
  test('an event has the sentence of an error, and the log has its stack and cause', async () => {
    const lines: string[] = []
    const hubLog = createLog({
      level: 'info',
      redactor: createRedactor(),
      destination: { write: (line) => lines.push(line) },
    })
    await using opened = await open({ log: hubLog })
    const { log } = opened
    const cause = new Error('of the cause')
    const errors = {
      bug: new TypeError('x is not a function, in /home/me', { cause }),
      hub: new HubError('busy', 'Try again.', { cause, data: { after: 3 } }),
      other: new OtherToldError('Too many.', { cause }),
      left: AbortSignal.abort().reason as Error,
      plain: { message: 'as it is' },
      text: 'a text',
    }
    for (const error of Object.values(errors)) {
      const payload = { tool: 'a', ms: 1, outcome: 'failed', error }
      await log.append({ type: 'tool-answered', correlation: 'c1', payload })
    }
    const { events } = await log.read({})
    const bug = { name: 'Error', message: 'The hub failed. Its log says more under c1.' }
    const told = [
      bug,
      { name: 'HubError', code: 'busy', message: 'Try again.', data: { after: 3 } },
      { name: 'OtherToldError', code: -32005, message: 'Too many.' },
      { name: 'Error', message: 'The call was cancelled.' },
      errors.plain,
      errors.text,
    ]
    expect(events.map(({ payload }) => payload['error'])).toEqual(told)
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      correlation: 'c1',
      error: {
        message: errors.bug.message,
        stack: expect.stringContaining('events.test'),
        cause: { message: 'of the cause' },
      },
    })
  })

  test('an event is read as it was appended', async () => {
    await using opened = await open({ now: () => new Date('2026-01-02T03:04:05.678Z') })
    const { log } = opened
    const plain = await log.append({ type: 'hub-started', payload: {} })
    expect(plain).toEqual({ seq: 1, id: expect.any(String), at: '2026-01-02T03:04:05.678Z' })
    const detail = {
      type: 'tool-called',
      session: 'build',
      thread: 'th1',
      correlation: 'c1',
      parent: plain.id,
      route: 'mcp:stdio',
      provider: 'openai',
    }
    const payload = { text: 'é 😀 \u0000 "quoted" \\ \n', list: [1, null, { deep: true }] }
    const full = await log.append({ ...detail, payload: { ...payload, nothing: undefined } })
    const { events, nextCursor, dropped } = await log.read({})
    expect(events).toEqual([
      { ...plain, type: 'hub-started', payload: {} },
      { ...full, ...detail, payload },
    ])
    expect(full.seq).toBe(2)
    expect({ nextCursor, dropped }).toEqual({ nextCursor: 2, dropped: 0 })
  })

  test('an event for the next commit shares it with the following append, in order', async () => {
    await using opened = await open()
    const commits: number[] = []
    opened.log.onCommit((seq) => commits.push(seq))
    opened.log.appendLater(called(1))
    await opened.log.append(called(2))
    expect(commits).toEqual([2])
    expect(numbers(await readAll(opened.log))).toEqual([1, 2])
  })

  test('an event for the next commit is committed soon, even if no other append follows', async () => {
    await using opened = await open()
    opened.log.appendLater(called(1))
    expect(await opened.log.waitBeyond(0, { timeoutMs: 10_000 })).toBe(true)
  })

  test('a reader sees an event that waits for the next commit', async () => {
    await using opened = await open()
    for (const n of [1, 2, 3]) {
      opened.log.appendLater(called(n))
      expect(numbers((await opened.log.read({ order: 'newest', limit: 1 })).events)).toEqual([n])
    }
  })

  test('closing the log writes the events that wait for the next commit', async () => {
    await using opened = await open()
    opened.log.appendLater(called(1))
    expect(numbers(await readAll(await opened.reopen()))).toEqual([1])
  })

  test('thousands of events appended at once get consecutive numbers in their order, and ids of their own', async () => {
    await using opened = await open()
    const events = await appendMany(opened.log, 3_000)
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 3_000 }, (_, n) => n + 1))
    expect(new Set(events.map(({ id }) => id)).size).toBe(3_000)
    expect(numbers(await readAll(opened.log))).toEqual(events.map((_, n) => n))
    expect(opened.log.lastSeq).toBe(3_000)
  })

  test('a reopened log has its old events and continues their numbers', async () => {
    await using opened = await open()
    await appendMany(opened.log, 5)
    const log = await opened.reopen()
    expect(log.lastSeq).toBe(5)
    expect((await log.append(called(6))).seq).toBe(6)
    expect(await readAll(log)).toHaveLength(6)
  })

  test('each filter selects matching events, and several filters are combined with "and"', async () => {
    await using opened = await open()
    const { log } = opened
    const variants: Partial<AnyEvent>[] = [
      { session: 'a', thread: 't', correlation: 'c', route: 'r' },
      { session: 'a', thread: 'u', correlation: 'c', route: 's', type: 'tool-answered' },
      { session: 'b', thread: 't', correlation: 'd', route: 'r' },
      {},
    ]
    for (const [n, variant] of variants.entries()) await log.append(called(n, variant))
    const found = async (query: EventQuery) => numbers(await readAll(log, query))
    expect(await found({ session: 'a' })).toEqual([0, 1])
    expect(await found({ thread: 't' })).toEqual([0, 2])
    expect(await found({ correlation: 'd' })).toEqual([2])
    expect(await found({ type: 'tool-called' })).toEqual([0, 2, 3])
    expect(await found({ route: 'r' })).toEqual([0, 2])
    expect(await found({ session: 'a', type: 'tool-called' })).toEqual([0])
    expect(await found({ session: 'a', thread: 't', correlation: 'c', type: 'tool-called', route: 'r' })).toEqual([0])
    expect(await found({ session: 'a', correlation: 'd' })).toEqual([])
    expect(await found({ session: `a' or '1'='1` })).toEqual([])
  })

  test('since is inclusive and until is exclusive, even if the clock was set back', async () => {
    const minutes = [0, 1, 2, 3, 2.9, 4, 5, 60]
    let next = 0
    const time = (minute: number): string => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString()
    await using opened = await open({ now: () => new Date(time(minutes[next++]!)) })
    for (const n of minutes.keys()) await opened.log.append(called(n))
    const found = async (query: EventQuery) => numbers(await readAll(opened.log, query))
    expect(await found({ since: time(3) })).toEqual([3, 5, 6, 7])
    expect(await found({ until: time(3) })).toEqual([0, 1, 2, 4])
    expect(await found({ since: time(1), until: time(5) })).toEqual([1, 2, 3, 4, 5])
    expect(await found({ since: time(2.95), until: time(100), cursor: 4 })).toEqual([5, 6, 7])
    expect(await found({ since: time(100) })).toEqual([])
    expect(await found({ until: time(-100) })).toEqual([])
    expect(await found({ since: '0001-01-01T00:00:00.000Z', until: '9999-12-31T23:59:59.999Z' })).toHaveLength(8)
  })

  test('pages follow one another without gaps or duplicates', async () => {
    await using opened = await open()
    await appendMany(opened.log, 50, { session: 'a' })
    await appendMany(opened.log, 50, { session: 'b' })
    expect(numbers(await readAll(opened.log, { limit: 7, session: 'b' }))).toEqual(
      Array.from({ length: 50 }, (_, n) => n),
    )
    const page = await opened.log.read({ limit: 7, cursor: 3 })
    expect(page.events.map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8, 9, 10])
    expect(page.nextCursor).toBe(10)
  })

  test('the cursor of a filtered read moves past events that do not match', async () => {
    await using opened = await open()
    const { log } = opened
    await appendMany(log, 20, { session: 'other' })
    const empty = await log.read({ session: 'mine' })
    expect(empty).toEqual({ events: [], nextCursor: 20, dropped: 0 })
    expect(await log.waitBeyond(empty.nextCursor, { timeoutMs: 0 })).toBe(false)
    await log.append(called(1, { session: 'mine' }))
    expect((await log.read({ session: 'mine', cursor: empty.nextCursor })).events).toHaveLength(1)
    expect((await log.read({ cursor: 1_000 })).nextCursor).toBe(1_000)
  })

  test('a page holds at most a thousand events, a hundred by default, and fewer if they are large', async () => {
    await using opened = await open()
    await appendMany(opened.log, 1_200)
    expect((await opened.log.read({})).events).toHaveLength(100)
    expect((await opened.log.read({ limit: 5_000 })).events).toHaveLength(1_000)
    const texts = Array.from({ length: 4 }, () => 'x'.repeat(8_000))
    for (let n = 0; n < 40; n++) await opened.log.append(called(n, { type: 'large', payload: { n, texts } }))
    expect((await opened.log.read({ type: 'large' })).events.length).toBeLessThan(40)
    expect(numbers(await readAll(opened.log, { type: 'large' }))).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  test('an event with a huge payload is cut to a small size', async () => {
    await using opened = await open()
    await opened.log.append(called(1, { payload: { arguments: { text: 'x'.repeat(3_000_000) } } }))
    const { events } = await opened.log.read({})
    expect(JSON.stringify(events[0]!.payload).length).toBeLessThan(40_000)
    expect(JSON.stringify(events[0]!.payload)).toContain('[cut: 3000000 characters]')
  })

  test('waiting ends with the next event, on timeout, or when the signal aborts', async () => {
    await using opened = await open()
    const { log } = opened
    await log.append(called(1))
    expect(await log.waitBeyond(0, { timeoutMs: 0 })).toBe(true)
    expect(await log.waitBeyond(1, { timeoutMs: 5 })).toBe(false)
    expect(await log.waitBeyond(1, { timeoutMs: 60_000, signal: AbortSignal.abort() })).toBe(false)
    const controller = new AbortController()
    const aborted = log.waitBeyond(1, { timeoutMs: 60_000, signal: controller.signal })
    const woken = log.waitBeyond(1, { timeoutMs: 60_000 })
    const patient = log.waitBeyond(2, { timeoutMs: 60_000 })
    controller.abort()
    expect(await aborted).toBe(false)
    await log.append(called(2))
    expect(await woken).toBe(true)
    expect(await Promise.race([patient, Promise.resolve('still waiting')])).toBe('still waiting')
    await log.append(called(3))
    expect(await patient).toBe(true)
  })

  test('a listener is called once per commit with the newest seq, and can be removed', async () => {
    await using opened = await open()
    const { log } = opened
    const heard: number[] = []
    log.onCommit(() => {
      throw new Error('a bad listener')
    })
    const stop = log.onCommit((seq) => heard.push(seq))
    await appendMany(log, 500)
    expect(heard.at(-1)).toBe(500)
    expect(heard.length).toBeLessThan(250)
    expect(heard).toEqual([...new Set(heard)].sort((a, b) => a - b))
    stop()
    await log.append(called(1))
    expect(heard.at(-1)).toBe(500)
  })

  test('readers see an event once its append resolves', async () => {
    await using opened = await open()
    for (let n = 0; n < 50; n++) {
      const { seq } = await opened.log.append(called(n))
      expect((await opened.log.read({ cursor: seq - 1 })).events).toHaveLength(1)
      expect(opened.log.lastSeq).toBe(seq)
    }
  })

  test('every field is redacted before it is stored', async () => {
    const redactor = createRedactor()
    redactor.addSecret('hunter2-hunter2')
    await using opened = await open({ redactor })
    const secret = 'x-hunter2-hunter2'
    await opened.log.append({
      type: 'tool-called',
      session: secret,
      thread: secret,
      correlation: secret,
      parent: secret,
      route: secret,
      provider: secret,
      payload: { secret, note: secret, token: 'abc' },
    })
    const page = await opened.log.read({})
    expect(page.events[0]?.payload).toEqual({ secret: redactedText, note: `x-${redactedText}`, token: redactedText })
    expect(JSON.stringify(page)).not.toContain('hunter2')
  })

  test('events appended before closing are stored, and appends after closing fail', async () => {
    await using opened = await open()
    const appends = appendMany(opened.log, 500)
    const reopened = await opened.reopen()
    expect(await appends).toHaveLength(500)
    expect(await readAll(reopened)).toHaveLength(500)
    await expect(opened.log.append(called(1))).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('events that are too old are dropped, and both the pages and the log say how many', async () => {
    let now = Date.UTC(2026, 0, 1)
    await using opened = await open({ now: () => new Date(now) })
    await appendMany(opened.log, 2_500)
    now += 3_600_000
    await appendMany(opened.log, 3)
    const log = await opened.reopen({ retention: { maxAgeMs: 1_800_000, maxBytes: 1e9, everyMs: 10 } })
    const told = await waitFor(log, 'events-dropped')
    expect(told.payload).toEqual({ count: 2_500, first_seq: 1, last_seq: 2_500 })
    const page = await log.read({})
    expect(page.dropped).toBe(2_500)
    expect(page.events.map(({ seq }) => seq).slice(0, 3)).toEqual([2_501, 2_502, 2_503])
    expect((await log.read({ cursor: 2_000 })).dropped).toBe(500)
    expect((await log.read({ cursor: 2_501 })).dropped).toBe(0)
    expect((await log.read({ order: 'newest' })).dropped).toBe(2_500)
    expect((await log.read({ order: 'newest', limit: 1 })).dropped).toBe(0)
  })

  test('the newest event stays at any age, so that no number is used twice', async () => {
    let now = Date.UTC(2026, 0, 1)
    await using opened = await open({ now: () => new Date(now) })
    await appendMany(opened.log, 10)
    now += 1e9
    const log = await opened.reopen({ retention: { maxAgeMs: 1_000, maxBytes: 1e9, everyMs: 10 } })
    const told = await waitFor(log, 'events-dropped')
    expect(told).toMatchObject({ seq: 11, payload: { count: 9 } })
    expect((await opened.reopen()).lastSeq).toBeGreaterThanOrEqual(11)
  })

  test('the oldest events are dropped when the log is too large, with some space to spare', async () => {
    const maxBytes = 2_000_000
    await using opened = await open({ retention: { maxAgeMs: 1e10, maxBytes, everyMs: 10 } })
    const { log } = opened
    const text = 'x'.repeat(500)
    for (let round = 0; round < 12; round++) await appendMany(log, 500, { payload: { text } })
    const told = await waitFor(log, 'events-dropped')
    expect(told.payload['count']).toBeGreaterThan(0)
    const leftBytes = async () => (6_000 - (await log.read({})).dropped) * 500
    await expect.poll(leftBytes, { timeout: 60_000 }).toBeLessThan(maxBytes)
    const later = await opened.reopen({ retention: { maxAgeMs: 1e10, maxBytes: 1e9 } })
    const kept = await readAll(later)
    expect(kept.length * 500).toBeGreaterThan(maxBytes / 4)
    expect(kept.at(-1)!.seq).toBe(later.lastSeq)
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: kept.length }, (_, n) => kept[0]!.seq + n))
  })

  test('readers that follow the log see every event while others write', async () => {
    await using opened = await open()
    const { log } = opened
    const follow = async (query: EventQuery): Promise<number> => {
      let count = 0
      for (let cursor = 0; cursor < 4_000;) {
        const page = await log.read({ ...query, cursor, limit: 200 })
        count += page.events.length
        cursor = page.nextCursor
        if (cursor < 4_000) await log.waitBeyond(cursor, { timeoutMs: 10_000 })
      }
      return count
    }
    const readers = [follow({}), follow({ session: 'a' }), follow({ thread: 'odd' })]
    for (let n = 0; n < 40; n++)
      await appendMany(log, 100, { session: n % 2 === 0 ? 'a' : 'b', thread: n % 4 === 1 ? 'odd' : 'even' })
    expect(await Promise.all(readers)).toEqual([4_000, 2_000, 1_000])
  })
})
