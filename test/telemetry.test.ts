/** A real hub with a collector: spans of real calls, over a kill and a restart. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from './fixtures/until.ts'
import type { CollectedSpan, Collector } from './harness/otlp-collector.ts'
import { startCollector } from './harness/otlp-collector.ts'
import { modern } from './http/modern-request.ts'
import { startOwnHub } from './worlds/own-hub.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

function settingsFor(collector: Collector) {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2hunter2,x-tenant=mine',
    OTEL_SERVICE_NAME: 'my-hub',
  }
}

function arrived(collector: Collector, name: string): Promise<CollectedSpan> {
  return until(() => collector.spans.find((span) => span.name === name))
}

test('the calls of a hub arrive as spans of the trace of their caller, and a stopped hub has sent them all', async () => {
  await using collector = await startCollector()
  await using hub = await startOwnHub({ env: settingsFor(collector) })
  const _meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const args = { role: 'human', label: 'words of a person' }
  await modern(hub, 'tools/call', { name: 'issue_token', arguments: args, _meta })
  const span = await arrived(collector, 'tools/call issue_token')
  expect(span).toMatchObject({
    traceId,
    attributes: { 'gen_ai.tool.name': 'issue_token', 'signalbox.outcome': 'ok' },
    resource: { 'service.name': 'my-hub' },
  })
  expect(collector.requests[0]).toMatchObject({
    url: '/v1/traces',
    headers: { authorization: 'Bearer hunter2hunter2', 'x-tenant': 'mine' },
  })

  await hub.call('issue_token', { ...args, label: 'last' })
  expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(collector.spans).toHaveLength(2)
  expect(collector.bodies.join('')).not.toContain('words of a person')
  expect(hub.log()).not.toContain('hunter2')
  expect(collector.faults).toEqual([])
})

test('a call that ran when the hub was killed is a span with an unknown outcome', async () => {
  await using collector = await startCollector()
  await using hub = await startOwnHub({ env: settingsFor(collector) })
  const running = hub.call('test_until_stop', { label: 'cut' }).catch(() => {})
  await hub.isRunning('cut')
  const called = await until(async () => {
    const { events } = await hub.call('query_events', { type: 'tool-called', order: 'newest', limit: 1 })
    return (events as { at: string; payload: { tool: string } }[]).find(
      ({ payload }) => payload.tool === 'test_until_stop',
    )
  })
  await hub.restart('SIGKILL')
  await running
  expect(await arrived(collector, 'tools/call test_until_stop')).toMatchObject({
    startTimeUnixNano: called.at,
    attributes: { 'signalbox.outcome': 'unknown' },
  })
})

test('OTEL_SDK_DISABLED switches it off, and a header that is none stops the start without showing it', async () => {
  await using collector = await startCollector()
  const env = settingsFor(collector)
  {
    await using hub = await startOwnHub({ env: { ...env, OTEL_SDK_DISABLED: 'true' } })
    await hub.call('issue_token', { role: 'human', label: 'x' })
    expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
    await expect(readFile(join(hub.home, 'telemetry.json'))).rejects.toThrow('ENOENT')
  }
  expect(collector.requests).toEqual([])
  const wrong = { ...env, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=mine,hunter2hunter2' }
  const failed = startOwnHub({ env: wrong }).then(
    () => 'started',
    (error: unknown) => String(error),
  )
  expect(await failed).toMatch(/OTEL_EXPORTER_OTLP_HEADERS: part 2 is not a header/)
  expect(await failed).not.toContain('hunter2')
})
