/** The ids of traces and spans in OpenTelemetry. They are derived from events, so that a span that is sent twice has one id. */
import { createHash } from 'node:crypto'

/** A correlation is the trace id of the caller, if the caller sent one, and otherwise an id of the same form or a UUID. */
export function traceIdOf(correlation: string): string {
  const plain = correlation.replaceAll('-', '')
  return /^[0-9a-f]{32}$/.test(plain) && /[^0]/.test(plain) ? plain : digest(correlation, 32)
}

/** `event`: the id of the event that begins the span. */
export function spanIdOf(event: string): string {
  return digest(event, 16)
}

function digest(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}
