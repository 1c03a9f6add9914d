/** Spans as a collector gets them, from a real event log and over real HTTP. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { until } from '../../test/fixtures/until.ts'
import type { AnyEvent, AnyEventLog } from '../../test/harness/any-event-log.ts'
import { openAnyEventLog } from '../../test/harness/any-event-log.ts'
import type { CollectedSpan, Collector } from '../../test/harness/otlp-collector.ts'
import { startCollector } from '../../test/harness/otlp-collector.ts'
import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { createRedactor } from '../base/redact.ts'
import { createTelemetry } from './telemetry.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const kinds = { internal: 1, server: 2, client: 3 }

interface World {
  readonly directory?: string
  readonly url: string
  readonly isShared?: boolean
  readonly maxBytes?: number
  readonly now?: () => Date
}

/** An event log and the part that sends its spans. Disposing it is like stopping the hub. */
async function start(options: World) {
  const { directory = temporaryDirectory(), url, isShared = false, maxBytes = 1e9, now = () => new Date() } = options
  const redactor = createRedactor()
  const retention = { maxAgeMs: 1e10, maxBytes, everyMs: 20 }
  const path = join(directory, 'events.db')
  const events = await openAnyEventLog({ engine: 'sqlite', path }, { redactor, retention, now })
  const metrics = createMetrics()
  const progressFile = join(directory, 'telemetry.json')
  const lines: string[] = []
  const telemetry = createTelemetry({
    collector: { url: `${url}/v1/traces`, headers: { 'api-key': 'hunter2' }, serviceName: 'test hub' },
    events,
    isShared,
    progressFile,
    hubId: 'the id of this hub',
    version: '1.2.3',
    metrics,
    log: createLog({ level: 'info', redactor, destination: { write: (line: string) => lines.push(line) } }),
  })
  await telemetry.start?.()
  return {
    directory,
    events,
    metric: (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics.text())?.[1] ?? 0),
    log: () => lines.join(''),
    savedCursor: () => (existsSync(progressFile) ? JSON.parse(readFileSync(progressFile, 'utf8')).cursor : undefined),
    /** Like kill -9: it gets no more events, and saves nothing. */
    async kill() {
      await events[Symbol.asyncDispose]()
      onTestFinished(() => telemetry[Symbol.asyncDispose]())
    },
    async [Symbol.asyncDispose]() {
      await telemetry[Symbol.asyncDispose]()
      await events[Symbol.asyncDispose]()
    },
  }
}

function add(events: AnyEventLog, type: string, more: Partial<AnyEvent> = {}) {
  return events.append({ correlation: trace, type, payload: {}, ...more })
}

/** A call that begins and ends. */
async function addCall(events: AnyEventLog, tool = 'up_act', more: Partial<AnyEvent> = {}) {
  const call = await add(events, 'tool-called', { ...more, payload: { tool, arguments: {} } })
  await add(events, 'tool-answered', { ...more, parent: call.id, payload: { tool, ms: 1, outcome: 'ok' } })
  return call
}

function arrived(collector: Collector, count: number): Promise<readonly CollectedSpan[]> {
  return until(() => collector.spans.length >= count && collector.spans)
}

/** The address of a collector that does not run. */
async function goneCollector(): Promise<Pick<Collector, 'url' | 'port'>> {
  await using collector = await startCollector()
  return collector
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.find((span) => span.name === name)
  expect(found, `there is no span "${name}" among ${spans.map((span) => span.name).join(', ')}`).toBeDefined()
  return found!
}

test('a collector gets the tree of a trace as spans, with the names of the conventions and without any text of prompts, arguments or results', async () => {
  await using collector = await startCollector()
  await using world = await start({ url: collector.url })
  const { events } = world
  const a = { session: 'a', thread: 'ta' }
  const usage = { input_tokens: 120, output_tokens: 30, cost_usd: 0.0015 }

  const prompt = await add(events, 'tool-called', {
    payload: { tool: 'prompt_session', arguments: { text: 'words of a person' }, role: 'human' },
  })
  const turn = await add(events, 'turn-started', { ...a, parent: prompt.id, payload: { chain: ['boss', 'worker'] } })
  const model = { ...a, route: 'google', provider: 'google' }
  const request = { messages: ['words to a model'] }
  const asked = await add(events, 'model-called', {
    ...model,
    parent: turn.id,
    payload: { model: 'gemini-3', request },
  })
  const answer = { model: 'gemini-3', ms: 4, outcome: 'ok', finish_reason: 'stop', usage }
  const response = { text: 'words of a model' }
  const stream = { parts: 3, first_part_ms: 250 }
  await add(events, 'model-answered', { ...model, parent: asked.id, payload: { ...answer, response, stream } })
  const relayed = await add(events, 'tool-called', {
    ...a,
    parent: turn.id,
    route: 'mcp:stdio',
    payload: {
      tool: 'github_push',
      arguments: { message: 'words of an agent' },
      decision: { effect: 'ask', rule: 'hub#3', policy_version: 'hub@2' },
      upstream: 'github',
    },
  })
  const approval = { approval: 'p1', tool: 'github_push', rule: 'hub#3' }
  await add(events, 'approval-requested', { ...a, parent: relayed.id, payload: { ...approval, status: 'pending' } })
  await add(events, 'approval-decided', { ...a, parent: relayed.id, payload: { ...approval, status: 'approved' } })
  const failed = { tool: 'github_push', ms: 9, outcome: 'error', error: 'words of an upstream', approval: 'p1' }
  await add(events, 'tool-answered', { ...a, parent: relayed.id, route: 'mcp:stdio', payload: failed })
  const own = await add(events, 'tool-called', { ...a, parent: turn.id, payload: { tool: 'own_shell', arguments: {} } })
  await add(events, 'tool-answered', { ...a, parent: own.id, payload: { tool: 'own_shell', outcome: 'denied' } })
  const read = { tool: 'files_read', arguments: { uri: 'file:///words' }, upstream: 'files' }
  const reading = await add(events, 'tool-called', { ...a, parent: turn.id, route: 'mcp:http', payload: read })
  await add(events, 'tool-answered', { ...a, parent: reading.id, route: 'mcp:http', payload: { outcome: 'ok' } })
  const ended = await add(events, 'turn-ended', { ...a, parent: turn.id, payload: { status: 'completed', ms: 20 } })
  await add(events, 'tool-answered', { parent: prompt.id, payload: { tool: 'prompt_session', outcome: 'ok' } })

  const spans = await arrived(collector, 7)
  const root = named(spans, 'tools/call prompt_session')
  const agent = named(spans, 'invoke_agent worker')
  const call = named(spans, 'tools/call github_push')
  expect(root).toMatchObject({ traceId: trace, kind: kinds.server, attributes: { 'mcp.method.name': 'tools/call' } })
  expect(root).not.toHaveProperty('parentSpanId')
  expect(agent).toMatchObject({
    traceId: trace,
    parentSpanId: root.spanId,
    kind: kinds.internal,
    startTimeUnixNano: turn.at,
    endTimeUnixNano: ended.at,
    status: { code: 0 },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'worker',
      'gen_ai.agent.id': 'a',
      'gen_ai.conversation.id': 'ta',
      'signalbox.chain': ['boss', 'worker'],
      'signalbox.outcome': 'completed',
    },
  })
  expect(named(spans, 'chat gemini-3')).toMatchObject({
    parentSpanId: agent.spanId,
    kind: kinds.client,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'gemini-3',
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.time_to_first_chunk': 0.25,
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 30,
      'signalbox.usage.cost_usd': 0.0015,
      'signalbox.route': 'google',
    },
  })
  expect(call).toMatchObject({
    parentSpanId: agent.spanId,
    kind: kinds.client,
    status: { code: 2 },
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'github_push',
      'network.transport': 'pipe',
      'error.type': 'tool_error',
      'signalbox.policy.effect': 'ask',
      'signalbox.policy.rule': 'hub#3',
      'signalbox.policy.version': 'hub@2',
      'signalbox.approval.id': 'p1',
    },
  })
  expect(named(spans, 'approval github_push')).toMatchObject({
    parentSpanId: call.spanId,
    attributes: { 'signalbox.approval.id': 'p1', 'signalbox.outcome': 'approved' },
  })
  expect(named(spans, 'execute_tool own_shell')).toMatchObject({
    kind: kinds.internal,
    status: { code: 2 },
    attributes: { 'gen_ai.tool.name': 'own_shell', 'error.type': 'denied' },
  })
  expect(named(spans, 'resources/read')).toMatchObject({
    attributes: { 'mcp.method.name': 'resources/read', 'network.transport': 'tcp' },
  })
  expect(root.resource).toMatchObject({ 'service.name': 'test hub', 'service.version': '1.2.3' })
  expect(collector.bodies.join('')).not.toMatch(/words|the id of this hub/)
  expect(collector.requests[0]).toMatchObject({
    url: '/v1/traces',
    headers: { 'api-key': 'hunter2', 'content-type': 'application/json' },
  })
  expect(collector.faults).toEqual([])
  expect(world.log()).toBe('')
})

test('a trace id is made from any correlation, and a nested call without a parent is below the open one', async () => {
  await using collector = await startCollector()
  await using world = await start({ url: collector.url })
  const uuid = '0190a3c4-1111-7222-8333-444455556666'
  for (const correlation of [uuid, 'any text', '0'.repeat(32)]) await addCall(world.events, 'x', { correlation })
  const outer = await add(world.events, 'tool-called', { payload: { tool: 'outer' } })
  await addCall(world.events, 'inner')
  await add(world.events, 'tool-answered', { parent: outer.id, payload: { tool: 'outer', outcome: 'ok' } })
  const spans = await arrived(collector, 5)
  expect(spans[0]?.traceId).toBe(uuid.replaceAll('-', ''))
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(4)
  expect(named(spans, 'tools/call inner').parentSpanId).toBe(named(spans, 'tools/call outer').spanId)
  expect(collector.faults).toEqual([])
})

test('a call that asks its client something is one span, from its beginning to its last answer', async () => {
  await using collector = await startCollector()
  await using world = await start({ url: collector.url })
  const { id: parent, at } = await add(world.events, 'tool-called', { payload: { tool: 'asks' } })
  await add(world.events, 'tool-answered', { parent, payload: { tool: 'asks', outcome: 'input-required' } })
  await addCall(world.events, 'between')
  await arrived(collector, 1)
  const { at: end } = await add(world.events, 'tool-answered', { parent, payload: { tool: 'asks', outcome: 'ok' } })
  const spans = await arrived(collector, 2)
  expect(spans.map(({ name }) => name)).toEqual(['tools/call between', 'tools/call asks'])
  expect(spans[1]).toMatchObject({ startTimeUnixNano: at, endTimeUnixNano: end })
})

test('spans of calls that were open when the hub was killed keep their beginning, or say that their end is unknown', async () => {
  await using collector = await startCollector()
  const before = await start({ url: collector.url })
  const { directory, events } = before
  const a = { session: 'a' }
  const turn = await add(events, 'turn-started', { ...a, payload: { chain: ['a'] } })
  const call = await add(events, 'tool-called', { ...a, parent: turn.id, payload: { tool: 'lost' } })
  const asked = await add(events, 'approval-requested', {
    ...a,
    parent: call.id,
    payload: { approval: 'p', tool: 'x' },
  })
  await addCall(events, 'sent')
  await arrived(collector, 1)
  await until(() => before.savedCursor() === events.lastSeq)
  await before.kill()

  await using after = await start({ url: collector.url, directory })
  const started = await add(after.events, 'hub-started', { correlation: 'other' })
  await add(after.events, 'approval-decided', { ...a, parent: call.id, payload: { approval: 'p', tool: 'x' } })
  await add(after.events, 'turn-ended', { ...a, parent: turn.id, payload: { status: 'completed' } })
  const spans = await arrived(collector, 4)
  expect(named(spans, 'tools/call lost')).toMatchObject({
    startTimeUnixNano: call.at,
    endTimeUnixNano: started.at,
    status: { code: 0 },
    attributes: { 'signalbox.outcome': 'unknown' },
  })
  expect(named(spans, 'approval x')).toMatchObject({ startTimeUnixNano: asked.at })
  expect(named(spans, 'invoke_agent a')).toMatchObject({ startTimeUnixNano: turn.at })
  expect(named(spans, 'tools/call lost').parentSpanId).toBe(named(spans, 'invoke_agent a').spanId)
  expect(spans).toHaveLength(4)
})

test('in a log that hubs share, the start of another hub does not end a call', async () => {
  await using collector = await startCollector()
  await using world = await start({ url: collector.url, isShared: true })
  const { id: parent } = await add(world.events, 'tool-called', { payload: { tool: 'runs' } })
  await add(world.events, 'hub-started', { correlation: 'other' })
  await add(world.events, 'tool-answered', { parent, payload: { tool: 'runs', outcome: 'ok' } })
  const [span] = await arrived(collector, 1)
  expect(span?.attributes).toMatchObject({ 'signalbox.outcome': 'ok' })
})

test('turns may wait behind one another, and one that has no end a while after its session is cut', async () => {
  let minute = 0
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute))
  await using collector = await startCollector()
  await using world = await start({ url: collector.url, now })
  const turns = [1, 2].map(() => add(world.events, 'turn-started', { session: 'a', payload: { chain: ['a'] } }))
  const [first] = await Promise.all(turns)
  const ended = await add(world.events, 'session-ended', { session: 'a' })
  await add(world.events, 'turn-ended', { session: 'a', parent: first!.id, payload: { status: 'failed' } })
  minute += 2
  await add(world.events, 'activity-changed')
  const spans = await arrived(collector, 2)
  expect(spans.map(({ attributes }) => attributes['signalbox.outcome'])).toEqual(['failed', 'cut'])
  expect(spans[1]).toMatchObject({ endTimeUnixNano: ended.at })
})

test('while the collector is away, spans wait in the log, and arrive once when it is back', async () => {
  const { url, port } = await goneCollector()
  await using world = await start({ url })
  for (let n = 0; n < 450; n++) await addCall(world.events, `x${n}`)
  await until(() => world.log().includes('cannot send spans'))
  expect(world.metric('signalbox_spans_behind_events')).toBeGreaterThan(800)

  await using collector = await startCollector({ port })
  const spans = await arrived(collector, 450)
  expect(new Set(spans.map(({ name }) => name)).size).toBe(450)
  expect(spans).toHaveLength(450)
  await until(() => world.log().includes('takes spans again'))
  await until(() => world.metric('signalbox_spans_behind_events') === 0)
  expect(world.metric('signalbox_spans_total{outcome="sent"}')).toBe(450)
  expect(world.log().match(/cannot send spans/g)).toHaveLength(1)
})

test('a hub that was killed while the collector was away leaves its spans to the next hub', async () => {
  const before = await start({ url: (await goneCollector()).url })
  await until(() => before.savedCursor() === 0)
  await addCall(before.events, 'first')
  await until(() => before.log().includes('cannot send spans'))
  await before.kill()
  await using collector = await startCollector()
  await using after = await start({ url: collector.url, directory: before.directory })
  await addCall(after.events, 'second')
  const spans = await arrived(collector, 2)
  expect(spans.map(({ name }) => name)).toEqual(['tools/call first', 'tools/call second'])
})

test.each([
  ['429', 429, { 'retry-after': '1' }],
  ['503', 503, {}],
  ['401', 401, {}],
])('a collector that answers %s gets the spans again', async (_, status, headers) => {
  await using collector = await startCollector()
  collector.answer = (response) => void response.writeHead(status, headers).end()
  await using world = await start({ url: collector.url })
  await addCall(world.events)
  await until(() => collector.requests.length > 0)
  collector.answer = undefined
  expect(await arrived(collector, 1)).toHaveLength(1)
  expect(world.metric('signalbox_spans_total{outcome="refused"}')).toBe(0)
})

test('spans that the collector refuses are counted and logged, and the next ones are sent', async () => {
  await using collector = await startCollector()
  collector.answer = (response) => void response.writeHead(400).end('bad')
  await using world = await start({ url: collector.url })
  await addCall(world.events, 'bad')
  await until(() => world.metric('signalbox_spans_total{outcome="refused"}') === 1)
  expect(world.log()).toContain('refused spans')
  collector.answer = undefined
  await addCall(world.events, 'good')
  expect((await arrived(collector, 1)).map(({ name }) => name)).toEqual(['tools/call good'])
})

test('events that were dropped before their spans were sent are counted and logged', async () => {
  await using collector = await startCollector()
  collector.answer = (response) => void response.writeHead(503).end()
  await using world = await start({ url: collector.url, maxBytes: 400_000 })
  await addCall(world.events)
  await until(() => collector.requests.length > 0)
  const text = 'x'.repeat(2_000)
  for (let n = 0; n < 500; n++) await add(world.events, 'activity-changed', { payload: { text } })
  await until(async () => (await world.events.read({ type: 'events-dropped' })).events.length > 0)
  collector.answer = undefined
  await until(() => world.metric('signalbox_span_events_dropped_total') > 0)
  expect(world.log()).toContain('events were dropped before their spans were sent')
})

test('a hub that stops sends what it has, and does not wait long for a collector that does not answer', async () => {
  await using collector = await startCollector()
  {
    await using world = await start({ url: collector.url })
    await addCall(world.events, 'at the end')
  }
  expect(collector.spans.map(({ name }) => name)).toEqual(['tools/call at the end'])

  collector.answer = () => {}
  const world = await start({ url: collector.url })
  await addCall(world.events, 'unanswered')
  const startedAt = performance.now()
  await world[Symbol.asyncDispose]()
  // Without the limit, it would wait ten seconds for the answer.
  expect(performance.now() - startedAt).toBeLessThan(9_500)
  collector.answer = undefined
  await using next = await start({ url: collector.url, directory: world.directory })
  expect((await arrived(collector, 2)).at(-1)?.name).toBe('tools/call unanswered')
  expect(next.log()).toBe('')
})

test('an append does not wait for a collector that does not answer', async () => {
  await using collector = await startCollector()
  collector.answer = () => {}
  await using world = await start({ url: collector.url })
  await addCall(world.events)
  await until(() => collector.requests.length > 0)
  for (let n = 0; n < 2_000; n++) await addCall(world.events)
  expect(world.events.lastSeq).toBe(4_002)
  expect(collector.requests).toHaveLength(1)
})

test('a damaged progress file is reported, and new spans are sent', async () => {
  await using collector = await startCollector()
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'telemetry.json'), '{"cursor":')
  await using world = await start({ url: collector.url, directory })
  expect(await until(() => world.log().includes('is unreadable'))).toBe(true)
  await addCall(world.events)
  expect(await arrived(collector, 1)).toHaveLength(1)
})
