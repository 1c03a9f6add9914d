/**
 * How long a list waits for upstreams that start for the first time. Some clients list once and never again, so the
 * first lists of a connection wait as long as its client does. After that a dead upstream must not slow the client
 * down.
 */
import { dropOldest } from '../base/drop-oldest.ts'
import type { Call } from '../mcp/mcp.ts'

/** Returns the time in milliseconds that the list requested by this call may wait. */
export type ListTimeout = (call: Call) => number

/** Less than the 10 s that Codex gives a server for its first list. */
const usualMs = 8_000
/** By client name. These clients drop a server whose list takes longer, but they follow list changes. */
const shorterMs: Readonly<Record<string, number>> = { opencode: 3_000 }
const maxKnown = 1_000

export function createListTimeout(graceMs: number, now: () => number = () => performance.now()): ListTimeout {
  /** By connection. A modern client has no connection and is identified by its token. */
  const deadlines = new Map<object | string, number>()
  return ({ client, caller }) => {
    const key = client.era === 'legacy' ? client : caller.tokenId
    const deadline = deadlines.get(key) ?? now() + (shorterMs[client.info?.name ?? ''] ?? usualMs)
    deadlines.set(key, deadline)
    dropOldest(deadlines, maxKnown)
    return Math.max(deadline - now(), graceMs)
  }
}
