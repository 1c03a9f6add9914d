/** W3C trace context, so that an upstream's own trace can be joined with ours. */
import { randomBytes } from 'node:crypto'

const ownPrefix = randomBytes(4).toString('hex')
let count = 0

/** Creates a new span under the call's correlation id. */
export function traceparentOf(correlation: string): string {
  count = (count + 1) % 0xffffffff
  return `00-${correlation}-${ownPrefix}${count.toString(16).padStart(8, '0')}-01`
}
