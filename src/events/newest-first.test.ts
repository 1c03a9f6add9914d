import { expect, test } from 'vitest'
import type { AnyEventLog } from '../../test/harness/any-event-log.ts'
import { describeLogOnEachEngine } from '../../test/harness/event-log-engines.ts'
import type { EventQuery } from './event-log.ts'

/** Reads all matching events, page by page, newest first. */
async function readBack(log: AnyEventLog, query: EventQuery = {}): Promise<unknown[]> {
  const numbers: unknown[] = []
  for (let cursor: number | undefined; ;) {
    const page = await log.read({ ...query, order: 'newest', ...(cursor !== undefined && { cursor }) })
    numbers.push(...page.events.map(({ payload }) => payload['n']))
    if (page.events.length === 0) return numbers
    cursor = page.nextCursor
  }
}

async function append(log: AnyEventLog, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, n) => log.append({ type: n % 3 === 0 ? 'third' : 'other', payload: { n } })),
  )
}

const downFrom = (count: number) => Array.from({ length: count }, (_, index) => count - 1 - index)

describeLogOnEachEngine('the event log, newest first', (open) => {
  test.each([1, 7, 1000])('the whole log is read in pages of %i, without gaps or duplicates', async (limit) => {
    await using opened = await open()
    await append(opened.log, 60)
    expect(await readBack(opened.log, { limit })).toEqual(downFrom(60))
    const thirds = downFrom(60).filter((n) => n % 3 === 0)
    expect(await readBack(opened.log, { limit, type: 'third' })).toEqual(thirds)
  })

  test('a rare event is found in a log that is larger than one read', async () => {
    await using opened = await open()
    await append(opened.log, 3_000)
    await opened.log.append({ type: 'rare', payload: { n: 'late' } })
    expect(await readBack(opened.log, { type: 'third', limit: 999 })).toHaveLength(1_000)
    expect(await readBack(opened.log, { type: 'rare' })).toEqual(['late'])
  })

  test('since and until select the same events as oldest first', async () => {
    let time = Date.parse('2026-01-01T00:00:00Z')
    await using opened = await open({ now: () => new Date((time += 1_000)) })
    for (let n = 0; n < 10; n++) await opened.log.append({ type: 'tick', payload: { n } })
    const between = { since: '2026-01-01T00:00:04.000Z', until: '2026-01-01T00:00:07.000Z' }
    const { events } = await opened.log.read({ ...between, type: 'tick' })
    const forward = events.map(({ payload }) => payload['n'])
    expect(forward.length).toBeGreaterThan(1)
    expect(await readBack(opened.log, { ...between, type: 'tick', limit: 1 })).toEqual(forward.toReversed())
  })

  test('an empty log has no events, and there are none before the first', async () => {
    await using opened = await open()
    expect((await opened.log.read({ order: 'newest' })).events).toEqual([])
    await append(opened.log, 3)
    expect((await opened.log.read({ order: 'newest', cursor: 1 })).events).toEqual([])
    expect((await opened.log.read({ order: 'newest', cursor: 0 })).events).toEqual([])
  })
})
