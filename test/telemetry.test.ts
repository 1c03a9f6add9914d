/** A real hub with a collector: spans of real calls, over a kill and a restart. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from './fixtures/until.ts'
import type { CollectedSpan, Collector } from './harness/otlp-collector.ts'
import { startCollector } from './harness/otlp-collector.ts'
import { modern } from './http/modern-request.ts'
import { startGateWorld } from './worlds/gate-world.ts'
import { startOwnHub } from './worlds/own-hub.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

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
  const args = { role: 'human', label: 'words of a person' }
  await modern(hub, 'tools/call', { name: 'issue_token', arguments: args }, { meta })
  const span = await arrived(collector, 'tools/call issue_token')
  expect(span).toMatchObject({
    traceId,
    parentSpanId: '00f067aa0ba902b7',
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

test('a call that waits for a person when the hub is killed, and its approval, are spans of the next hub', async () => {
  await using collector = await startCollector()
  await using world = await startGateWorld(settingsFor(collector))
  await world.setPolicy('rules: [{ ask: "up_*" }]')
  const act = () => modern(world.agent, 'tools/call', { name: 'up_act_now', arguments: { what: 'x' } }, { meta })
  const requests = async () =>
    (await world.call('query_events', { type: 'approval-requested' }))['events'] as readonly unknown[]
  const held = act().catch(() => {})
  const approval = await world.pending()
  // The approval is stored before its event.
  await until(async () => (await requests()).length === 1)
  await world.restart('SIGKILL')
  await held
  expect(await world.decide(approval, 'approve')).toBe('approved')
  const asked = await arrived(collector, 'approval up_Act-Now')
  const cut = await arrived(collector, 'tools/call up_Act-Now')
  expect(cut).toMatchObject({
    traceId,
    parentSpanId: '00f067aa0ba902b7',
    attributes: { 'signalbox.outcome': 'unknown', 'signalbox.policy.effect': 'ask', 'network.transport': 'pipe' },
  })
  expect(asked).toMatchObject({
    traceId,
    parentSpanId: cut.spanId,
    attributes: { 'signalbox.approval.id': approval, 'signalbox.outcome': 'approved' },
  })
  await act()
  const again = await until(() =>
    collector.spans.find(
      ({ attributes }) => attributes['signalbox.outcome'] === 'ok' && attributes['signalbox.approval.id'] === approval,
    ),
  )
  expect(again.name).toBe('tools/call up_Act-Now')
  expect(collector.faults).toEqual([])
})

test('OTEL_SDK_DISABLED switches telemetry off, and an invalid header stops the start without being shown', async () => {
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
