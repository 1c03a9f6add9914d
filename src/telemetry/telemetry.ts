/**
 * Sends the trees of `get_trace` as OpenTelemetry spans to a collector. It follows the event log, so no call waits for
 * it, and the spans hold nothing that the redactor removed. The log is also the queue: while the collector is away,
 * spans wait there, and a new hub continues where the old one stopped. Only events that retention drops meanwhile are
 * lost, and counted.
 *
 *   log → pairs of events → spans → collector → progress file
 */
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../base/backoff.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { EventLog } from '../events/events.ts'
import type { Feature } from '../feature/feature.ts'
import type { Collector } from './collector.ts'
import type { OpenSpans } from './open-spans.ts'
import { createOpenSpans } from './open-spans.ts'
import { createProgressFile } from './progress-file.ts'
import { spanIdOf } from '../base/span-ids.ts'
import type { FinishedSpan, SpanSender } from './span.ts'

export { collectorOf, secretsOf } from './collector.ts'

export interface TelemetryOptions {
  /** `undefined`: nothing is sent. */
  readonly collector: Collector | undefined
  readonly events: Pick<EventLog, 'read' | 'waitBeyond' | 'lastSeq'>
  /** Other hubs write to the same log. */
  readonly isShared: boolean
  readonly progressFile: string
  /** A secret. Spans carry only a hash of it. */
  readonly hubId: string
  readonly version: string
  readonly metrics: Metrics
  readonly log: Log
}

/** A read makes the log commit all pending events at once, so the log is not read for each event. */
const pauseMs = 1_000
/** Making and encoding the spans of a page must not block the hub for long. */
const eventsPerPage = 200
const waitMs = 60_000
const retry = { firstMs: 1_000, longestMs: 60_000 }
/** A hub that stops waits this long for the collector. The next hub sends the rest. */
const stopMs = 5_000

export function createTelemetry(options: TelemetryOptions): Feature & AsyncDisposable {
  const { collector, progressFile } = options
  if (collector) return follow({ ...options, collector })
  return {
    // If a collector is set again later, it gets no spans of the time without one.
    start: () => rm(progressFile, { force: true }),
    async [Symbol.asyncDispose]() {},
  }
}

function follow(options: TelemetryOptions & { readonly collector: Collector }): Feature & AsyncDisposable {
  const { collector, events, isShared, hubId, version, metrics, log } = options
  const progressFile = createProgressFile(options.progressFile)
  const stopping = new AbortController()
  const sent = metrics.counter('signalbox_spans_total', 'OpenTelemetry spans by outcome.', ['outcome'])
  const lost = metrics.counter(
    'signalbox_span_events_dropped_total',
    'Events dropped before their spans were sent.',
    [],
  )
  let cursor = events.lastSeq
  let sender: SpanSender | undefined
  let running: Promise<void> | undefined
  let failures = 0
  let isClosed = false
  metrics.gauge('signalbox_spans_behind_events', 'Events whose spans were not sent yet.', () => events.lastSeq - cursor)

  /** The spans that had not ended when the last hub stopped. */
  async function restore(open: OpenSpans): Promise<void> {
    const progress = await readProgress()
    if (!progress) return save(open)
    for (const seq of progress.open) {
      const [event] = (await events.read({ cursor: seq - 1, limit: 1 })).events
      if (event?.seq === seq) open.take(event)
    }
    ;({ cursor } = progress)
  }

  async function readProgress() {
    try {
      const progress = await progressFile.read()
      if (!progress || progress.cursor <= events.lastSeq) return progress
      log.warn({}, 'the event log was replaced by an older one: spans of its events are not sent')
      return undefined
    } catch (error) {
      log.error(
        { error, file: options.progressFile },
        'the progress of OpenTelemetry is unreadable: earlier spans are not sent',
      )
      return undefined
    }
  }

  async function run(): Promise<void> {
    const open = createOpenSpans({ isShared })
    await restore(open)
    for (;;) {
      const isLast = stopping.signal.aborted
      while (cursor < events.lastSeq) if (!(await sendPage(open))) return
      if (isLast) return
      await events.waitBeyond(cursor, { timeoutMs: waitMs, signal: stopping.signal })
      await pause(pauseMs)
    }
  }

  /** Returns false if the hub stops first. */
  async function sendPage(open: OpenSpans): Promise<boolean> {
    const page = await events.read({ cursor, limit: eventsPerPage })
    if (page.dropped > 0) {
      lost.addMany(page.dropped)
      log.warn({ count: page.dropped }, 'events were dropped before their spans were sent')
    }
    const spans = page.events.flatMap((event) => open.take(event))
    if (spans.length > 0 && !(await deliver(spans))) return false
    cursor = page.nextCursor
    await save(open)
    return true
  }

  async function save(open: OpenSpans): Promise<void> {
    try {
      await progressFile.write({ cursor, open: open.seqs() })
    } catch (error) {
      log.error({ error }, 'the progress of OpenTelemetry could not be saved')
    }
  }

  /** Tries again until the collector has taken or refused the spans. Returns false if the hub stops first. */
  async function deliver(spans: readonly FinishedSpan[]): Promise<boolean> {
    sender ??= await createSender()
    for (;;) {
      const result = await sender.send(spans)
      if (isClosed) return false
      switch (result.is) {
        case 'sent':
          sent.addMany(spans.length, 'sent')
          if (failures > 0) log.info({}, 'the OpenTelemetry collector takes spans again')
          failures = 0
          return true
        case 'refused':
          sent.addMany(spans.length, 'refused')
          log.error({ count: spans.length, error: result.error }, 'the OpenTelemetry collector refused spans')
          return true
        case 'failed': {
          failures++
          const fields = { error: result.error, collector: new URL(collector.url).host }
          if (failures === 1)
            log.warn(fields, 'cannot send spans to the OpenTelemetry collector; they wait in the event log')
          if (stopping.signal.aborted) return false
          await pause(backoffMs(retry, failures))
        }
      }
    }
  }

  async function createSender(): Promise<SpanSender> {
    const { createOtlpSender } = await import('./otlp-sender.ts')
    return createOtlpSender({ ...collector, instanceId: spanIdOf(hubId), version, log })
  }

  /** Ends early when the hub stops. */
  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  }

  async function runAgain(): Promise<void> {
    for (let faults = 1; ; faults++) {
      try {
        return await run()
      } catch (error) {
        if (isClosed || stopping.signal.aborted) return
        log.error({ error }, 'spans could not be made from the event log')
        await pause(backoffMs(retry, faults))
      }
    }
  }

  return {
    async start() {
      running = runAgain()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      const limit = new AbortController()
      await Promise.race([running, sleep(stopMs, undefined, { signal: limit.signal }).catch(() => {})])
      limit.abort()
      isClosed = true
      sender?.close()
    },
  }
}
