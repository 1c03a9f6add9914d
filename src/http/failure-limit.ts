/** Counts wrong secrets per address, so that a client that guesses is told to wait. */
import { dropOldest } from '../base/drop-oldest.ts'

export interface FailureLimit {
  /** Counts a failure. After too many it returns how long the client should wait. */
  count(address: string): { readonly retryAfterSeconds: number } | undefined
}

const failuresPerMinute = 20
const maxAddresses = 10_000

export function createFailureLimit(now: () => number): FailureLimit {
  const failures = new Map<string, { count: number; until: number }>()
  return {
    count(address) {
      const known = failures.get(address)
      if (!known || known.until <= now()) {
        // The map is bounded: the address that failed first is forgotten first.
        failures.delete(address)
        failures.set(address, { count: 1, until: now() + 60_000 })
        dropOldest(failures, maxAddresses)
        return undefined
      }
      known.count++
      if (known.count <= failuresPerMinute) return undefined
      return { retryAfterSeconds: Math.max(1, Math.ceil((known.until - now()) / 1000)) }
    },
  }
}
