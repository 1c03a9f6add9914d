/** Sends spans by OTLP over HTTP with the OpenTelemetry SDK. It is loaded with the first hub that has a collector. */
import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { AlwaysOnSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Log } from '../base/log.ts'
import type { FinishedSpan, SendResult, SpanSender } from './span.ts'

export interface OtlpSenderOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly instanceId: string
  readonly version: string
  readonly log: Log
}

/** `ExportResultCode.SUCCESS`, of a package that this one does not depend on. */
const succeeded = 0

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const

export function createOtlpSender(options: OtlpSenderOptions): SpanSender {
  const { url, headers, serviceName, instanceId, version, log } = options
  reportTo(log)
  const agent = url.startsWith('https:') ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, httpAgentOptions: () => agent })
  const ended: ReadableSpan[] = []
  const ids = { traceId: '', spanId: '' }
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': instanceId,
      }),
    ),
    // The spans exist already. Sampling belongs in the collector.
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [
      { onStart() {}, onEnd: (span) => void ended.push(span), forceFlush: async () => {}, shutdown: async () => {} },
    ],
  })
  const tracer = provider.getTracer('signalbox', version)

  function toReadable(span: FinishedSpan): void {
    const { traceId, spanId, parentSpanId, name, kind, startedAt, endedAt, attributes, errorType } = span
    Object.assign(ids, { traceId, spanId })
    const parent = { traceId, spanId: parentSpanId ?? '', traceFlags: TraceFlags.SAMPLED, isRemote: true }
    const context = parentSpanId === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    // Times are dates, because the SDK reads a number below the start time of the process as an offset from it.
    const made = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime: startedAt }, context)
    if (errorType !== undefined) made.setStatus({ code: SpanStatusCode.ERROR })
    made.end(endedAt)
  }

  return {
    send(spans) {
      const { promise, resolve } = Promise.withResolvers<SendResult>()
      try {
        for (const span of spans) toReadable(span)
        exporter.export(ended.splice(0), ({ code, error }) =>
          resolve((code as number) === succeeded ? { is: 'sent' } : unsent(error)),
        )
      } catch (error) {
        ended.length = 0
        resolve({ is: 'refused', error })
      }
      return promise
    },
    close: () => agent.destroy(),
  }
}

/** Statuses that reject these spans for good. Others, such as 401 and 404, stop when a person corrects the settings. */
const refusals: ReadonlySet<unknown> = new Set([400, 413, 422])

function unsent(error: (Error & { code?: unknown }) | undefined): SendResult {
  return { is: refusals.has(error?.code) ? 'refused' : 'failed', error }
}

/**
 * The SDK has one logger for the whole process. It reports, for example, spans that a collector accepted only in part.
 */
function reportTo(log: Log): void {
  const warn = (message: string, ...details: unknown[]) =>
    log.warn({ message, details }, 'OpenTelemetry reports a fault')
  const quiet = () => {}
  const logger = { error: warn, warn, info: quiet, debug: quiet, verbose: quiet }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}
