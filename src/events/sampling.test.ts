import { expect, test } from 'vitest'
import { describeLogOnEachEngine } from '../../test/harness/event-log-engines.ts'
import type { AnyEvent, AnyEventLog } from '../../test/harness/any-event-log.ts'

const request = { messages: [{ role: 'user', text: 'a long prompt' }] }
const response = { text: 'a long answer' }
const usage = { input_tokens: 1, output_tokens: 2 }

/** All kinds of events that one trace with a model call has. */
function traceOf(correlation: string): readonly AnyEvent[] {
  const events = [
    {
      type: 'tool-called',
      payload: { tool: 'files_read', arguments: { uri: 'file:///a' }, decision: { effect: 'ask' } },
    },
    { type: 'approval-requested', payload: { approval: 'a', tool: 'files_read' } },
    { type: 'tool-answered', payload: { tool: 'files_read', outcome: 'denied' } },
    { type: 'model-called', payload: { model: 'm', request } },
    { type: 'model-answered', payload: { model: 'm', ms: 1, outcome: 'ok', response, usage } },
    { type: 'model-answered', payload: { model: 'm', ms: 1, outcome: 'error', response, error: 'overloaded' } },
  ]
  return events.map((event) => ({ ...event, correlation }))
}

const thinned = [
  ...traceOf('').slice(0, 3),
  { payload: { model: 'm', request: {}, left_out: 'sampling' } },
  { payload: { model: 'm', ms: 1, outcome: 'ok', usage, left_out: 'sampling' } },
  ...traceOf('').slice(5),
].map(({ payload }) => payload)

async function payloadsOf(log: AnyEventLog, correlation: string) {
  return (await log.read({ correlation })).events.map(({ payload }) => payload)
}

describeLogOnEachEngine('sampling', (open) => {
  test('keeps all bodies of some traces and none of the others, and all else of every trace', async () => {
    await using opened = await open({ bodyRate: 0.5 })
    const { log } = opened
    const ids = Array.from({ length: 40 }, (_, n) => `c${n}`)
    for (const id of ids) {
      const [first, ...rest] = traceOf(id)
      await log.append(first!)
      for (const event of rest) log.appendLater(event)
    }
    const whole = traceOf('').map(({ payload }) => payload)
    const kinds = await Promise.all(
      ids.map(async (id) => {
        const payloads = await payloadsOf(log, id)
        const isWhole = JSON.stringify(payloads).includes('a long prompt')
        expect(payloads).toEqual(isWhole ? whole : thinned)
        return isWhole
      }),
    )
    expect(kinds.filter(Boolean).length).toBeGreaterThan(5)
    expect(kinds.filter((isWhole) => !isWhole).length).toBeGreaterThan(5)

    // Each thinned trace lacks a request and a response.
    const again = await opened.reopen()
    const { events } = await again.read({ type: 'calls-unrecorded' })
    const bodies = kinds.filter((isWhole) => !isWhole).length * 2
    expect(events.map(({ payload }) => payload)).toEqual([{ calls: 0, bodies }])
  })

  test('a trace is treated alike by every hub, before and after a restart', async () => {
    await using opened = await open({ bodyRate: 0.5 })
    const isWhole = async (log: AnyEventLog, id: string) => {
      await log.append({ type: 'model-called', correlation: id, payload: { model: 'm', request } })
      return (await payloadsOf(log, id)).map((payload) => 'left_out' in payload)
    }
    const ids = Array.from({ length: 20 }, (_, n) => `c${n}`)
    for (const id of ids) await isWhole(opened.log, id)
    const log = await opened.reopen({ bodyRate: 0.5 })
    for (const id of ids) expect(new Set(await isWhole(log, id)).size).toBe(1)
  })

  test.each([
    [0, true],
    [1, false],
    [undefined, false],
  ])('with the rate %s, a body is left out: %s', async (bodyRate, isLeftOut) => {
    await using opened = await open({ bodyRate })
    await opened.log.append({ type: 'model-called', correlation: 'c', payload: { model: 'm', request } })
    const [payload] = await payloadsOf(opened.log, 'c')
    expect('left_out' in payload!).toBe(isLeftOut)
  })
})
