/** get_trace over the real event log, with the events that turns, models and calls leave there. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { AnyEvent, AnyEventLog } from '../../test/harness/any-event-log.ts'
import { openAnyEventLog } from '../../test/harness/any-event-log.ts'
import type { Span } from '../api/trace.ts'
import { createRedactor } from '../base/redact.ts'
import { createFace } from '../endpoint/endpoint.ts'
import type { Call } from '../mcp/mcp.ts'
import { createTraceTool } from './trace.ts'

const retention = { maxAgeMs: 1e10, maxBytes: 1e10 }

async function openLog(): Promise<AnyEventLog> {
  const path = join(temporaryDirectory(), 'events.db')
  return openAnyEventLog({ engine: 'sqlite', path }, { redactor: createRedactor(), retention })
}

interface Trace {
  readonly spans: readonly Span[]
  readonly truncated?: boolean
}

async function traceOf(events: Pick<AnyEventLog, 'read'>, correlation = 'c'): Promise<Trace> {
  const face = createFace({
    id: 'management',
    info: { name: 'test', version: '0' },
    instructions: '',
    providers: [{ toolset: 'events', tools: () => [createTraceTool(events)] }],
    layers: [],
  })
  const call = { correlation: 'reader', caller: { tokenId: 't', role: 'human' } } as unknown as Call
  const result = await face.callTool(face.findTool('get_trace')!, { correlation }, call)
  return (result as unknown as { structuredContent: Trace }).structuredContent
}

/** Appends an event of the correlation "c" and returns its id. */
async function add(events: AnyEventLog, type: string, more: Partial<AnyEvent> = {}): Promise<string> {
  return (await events.append({ correlation: 'c', type, payload: {}, ...more })).id
}

const usage = { input_tokens: 120, output_tokens: 30, cost_usd: 0.0015 }

/** A person prompts A, whose model asks B, which runs a command that a person approves. Returns the ids. */
async function addTwoTurns(events: AnyEventLog) {
  const prompt = await add(events, 'tool-called', { payload: { tool: 'prompt_session' } })
  const a = { session: 'a', thread: 'ta' }
  const turnA = await add(events, 'turn-started', { ...a, parent: prompt, payload: { chain: ['a'] } })
  await add(events, 'tool-answered', { parent: prompt, payload: { tool: 'prompt_session', outcome: 'ok' } })
  const model = { ...a, route: 'openai', provider: 'openai' }
  const request = { messages: ['secret plan'] }
  const asked = await add(events, 'model-called', { ...model, parent: turnA, payload: { model: 'gpt-5', request } })
  await add(events, 'model-answered', {
    ...model,
    parent: asked,
    payload: { model: 'gpt-5', ms: 4, outcome: 'ok', response: { text: 'secret answer' }, usage },
  })
  const ask = await add(events, 'tool-called', {
    ...a,
    parent: turnA,
    route: 'session:b',
    payload: { tool: 'sessions_ask' },
  })
  const b = { session: 'b', thread: 'tb' }
  const turnB = await add(events, 'turn-started', { ...b, parent: ask, payload: { chain: ['a', 'b'] } })
  const own = await add(events, 'tool-called', { ...b, parent: turnB, payload: { tool: 'own_shell' } })
  await add(events, 'approval-requested', { ...b, parent: own, payload: { approval: 'p' } })
  await add(events, 'approval-decided', { ...b, parent: own, payload: { approval: 'p', status: 'approved' } })
  await add(events, 'tool-answered', { ...b, parent: own, payload: { approval: 'p', outcome: 'ok' } })
  await add(events, 'turn-ended', { ...b, parent: turnB, payload: { status: 'completed', ms: 9 } })
  await add(events, 'tool-answered', { ...a, parent: ask, payload: { outcome: 'ok' } })
  return { prompt, turnA, ask, turnB, own }
}

/** Each span as its type and those below it. */
function shapeOf(spans: readonly Span[]): unknown[] {
  return spans.map(({ type, spans: below }) => (below.length === 0 ? type : [type, ...shapeOf(below)]))
}

function allOf(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => [span, ...allOf(span.spans)])
}

test('turns, model calls, own tools, approvals and the turn of another session are one tree', async () => {
  await using events = await openLog()
  const { turnA } = await addTwoTurns(events)
  await add(events, 'turn-ended', { session: 'a', parent: turnA, payload: { status: 'completed', ms: 20 } })
  const { spans } = await traceOf(events)
  const ofB = ['turn-started', ['tool-called', 'approval-requested', 'approval-decided', 'tool-answered'], 'turn-ended']
  expect(shapeOf(spans)).toEqual([
    [
      'tool-called',
      ['turn-started', ['model-called', 'model-answered'], ['tool-called', ofB, 'tool-answered'], 'turn-ended'],
      'tool-answered',
    ],
  ])
  const all = allOf(spans)
  expect(all.filter(({ outcome, detached }) => outcome ?? detached)).toEqual([])
  expect(all.find(({ type }) => type === 'model-called')).toMatchObject({
    route: 'openai',
    provider: 'openai',
    session: 'a',
    thread: 'ta',
    ms: expect.any(Number),
    payload: { model: 'gpt-5' },
  })
  expect(all.find(({ type }) => type === 'model-answered')?.payload).toMatchObject({ usage })
  expect(JSON.stringify(spans)).not.toContain('secret')
})

test('a turn and the calls in it are shown as running until they end', async () => {
  await using events = await openLog()
  await add(events, 'hub-started', { correlation: 'other' })
  const { turnA } = await addTwoTurns(events)
  await add(events, 'model-called', { session: 'a', parent: turnA })
  const open = allOf((await traceOf(events)).spans).filter(({ outcome }) => outcome !== undefined)
  expect(open).toMatchObject([
    { type: 'turn-started', session: 'a', outcome: 'running' },
    { type: 'model-called', outcome: 'running' },
  ])
})

test('after a new start of the hub, a turn still runs, and the outcome of a call in it is unknown', async () => {
  await using events = await openLog()
  const { turnA } = await addTwoTurns(events)
  await add(events, 'model-called', { session: 'a', parent: turnA })
  await add(events, 'hub-started', { correlation: 'other' })
  const open = allOf((await traceOf(events)).spans).filter(({ outcome }) => outcome !== undefined)
  expect(open).toMatchObject([
    { type: 'turn-started', outcome: 'running' },
    { type: 'model-called', outcome: 'unknown' },
  ])
})

test('a turn that has no end when its session has ended is cut, and one that waits behind another runs', async () => {
  await using events = await openLog()
  await addTwoTurns(events)
  await add(events, 'turn-started', { session: 'a', correlation: 'other' })
  await add(events, 'session-ended', { session: 'b', correlation: 'other' })
  expect(allOf((await traceOf(events)).spans).find(({ outcome }) => outcome)).toMatchObject({ outcome: 'running' })
  await add(events, 'session-ended', { session: 'a', correlation: 'other' })
  expect(allOf((await traceOf(events)).spans).find(({ outcome }) => outcome)).toMatchObject({ outcome: 'cut' })
})

test('a call that asked its client something has its last answer as its end', async () => {
  await using events = await openLog()
  const call = await add(events, 'tool-called')
  await add(events, 'tool-answered', { parent: call, payload: { outcome: 'input-required' } })
  expect((await traceOf(events)).spans).toMatchObject([{ outcome: 'running' }])
  await add(events, 'tool-answered', { parent: call, payload: { outcome: 'ok' } })
  expect((await traceOf(events)).spans[0]).not.toHaveProperty('outcome')
})

test('an event whose parent was dropped is a root that says so', async () => {
  await using events = await openLog()
  await add(events, 'turn-started', { parent: 'dropped' })
  await add(events, 'tool-called')
  expect((await traceOf(events)).spans).toMatchObject([
    { type: 'turn-started', parent: 'dropped', detached: 'missing' },
    { type: 'tool-called' },
  ])
})

test('parents in a circle do not hide an event, and one of them is a root that says so', async () => {
  await using events = await openLog()
  const ids = await Promise.all(['x', 'y', 'z'].map((tool) => add(events, 'tool-called', { payload: { tool } })))
  // Only a hub of another release, or a person with an editor, writes such parents.
  const circle = { [ids[0]!]: ids[1]!, [ids[1]!]: ids[2]!, [ids[2]!]: ids[0]! }
  const forged: Pick<AnyEventLog, 'read'> = {
    async read(query: Parameters<AnyEventLog['read']>[0]) {
      const page = await events.read(query)
      return { ...page, events: page.events.map((event) => ({ ...event, parent: circle[event.id]! })) }
    },
  }
  const { spans } = await traceOf(forged)
  expect(spans).toMatchObject([{ detached: 'cyclic' }])
  expect(new Set(allOf(spans).map(({ id }) => id))).toEqual(new Set(ids))
})

test('a chain of thousands of calls and a call with thousands of others both show every event', async () => {
  await using events = await openLog()
  let parent = await add(events, 'tool-called')
  for (let n = 0; n < 3_000; n++) parent = await add(events, 'tool-called', { parent })
  const wide = await add(events, 'turn-started', { parent })
  await Promise.all(Array.from({ length: 3_000 }, () => add(events, 'tool-called', { parent: wide })))
  const { spans, truncated } = await traceOf(events)
  const all = allOf(spans)
  expect(all).toHaveLength(6_002)
  expect(new Set(all.map(({ id }) => id)).size).toBe(6_002)
  expect(all.find(({ id }) => id === wide)).toMatchObject({ parent })
  expect(truncated).toBeUndefined()
  expect(depthOf(spans)).toBeLessThan(50)
})

test('a trace with too many events says that it is cut', async () => {
  await using events = await openLog()
  await Promise.all(Array.from({ length: 10_500 }, () => add(events, 'tool-called')))
  const { spans, truncated } = await traceOf(events)
  expect(allOf(spans)).toHaveLength(10_000)
  expect(truncated).toBe(true)
})

function depthOf(spans: readonly Span[]): number {
  return Math.max(0, ...spans.slice(0, 100).map((span) => 1 + depthOf(span.spans)))
}
