/** The W3C trace context that a caller sends in `_meta`. */
import type { Meta } from './wire.ts'

export interface TraceContext {
  readonly traceId: string
  /** The caller's own span, which its call belongs to. */
  readonly spanId: string
}

/** Ids of zeros only are invalid, and so is the version `ff`. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0+-)([0-9a-f]{32})-(?!0+-)([0-9a-f]{16})-[0-9a-f]{2}$/

export function traceContextOf(meta: Meta): TraceContext | undefined {
  const { traceparent: given } = meta
  const [, traceId, spanId] = (typeof given === 'string' && traceparent.exec(given)) || []
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId }
}
