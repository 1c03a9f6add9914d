/** Remembers which ways could not be reached, so that others are asked first for a while. In memory only. */
import type { Backoff } from '../base/backoff.ts'
import { backoffMs } from '../base/backoff.ts'

export interface Health {
  failed(key: string, reason: string): void
  reached(key: string): void
  /** `undefined`: it may be asked. */
  restOf(key: string): Rest | undefined
}

export interface Rest {
  readonly until: number
  readonly reason: string
}

/** A server that restarts is back in seconds. One that is gone costs one slow call in five minutes. */
const rests: Backoff = { firstMs: 5_000, longestMs: 5 * 60_000 }
/** Keys contain names that people choose, and keys of old names are never used again. */
const mostKeys = 1_000

export function createHealth({ now = Date.now, random = Math.random } = {}): Health {
  const failures = new Map<string, Rest & { readonly count: number }>()
  return {
    failed(key, reason) {
      const count = (failures.get(key)?.count ?? 0) + 1
      failures.delete(key)
      failures.set(key, { count, reason, until: now() + backoffMs(rests, count, random) })
      if (failures.size > mostKeys) for (const [oldest] of failures.entries().take(1)) failures.delete(oldest)
    },
    reached: (key) => void failures.delete(key),
    restOf(key) {
      const failure = failures.get(key)
      return failure && failure.until > now() ? failure : undefined
    },
  }
}
