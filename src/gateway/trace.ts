/** W3C trace context, so that an upstream's own trace can be joined with ours. */
import { randomBytes } from 'node:crypto'
import { spanIdOf, traceIdOf } from '../base/span-ids.ts'

const ownPrefix = randomBytes(4).toString('hex')
let count = 0

/** The span of the event that records the call, or a new one in the same trace. */
export function traceparentOf({ correlation, event }: { correlation: string; event?: string | undefined }): string {
  return `00-${traceIdOf(correlation)}-${event === undefined ? newSpanId() : spanIdOf(event)}-01`
}

function newSpanId(): string {
  count = (count + 1) % 0xffffffff
  return `${ownPrefix}${count.toString(16).padStart(8, '0')}`
}
