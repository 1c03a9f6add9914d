/**
 * A call that was let through may ask its client something and come back with the answer (2026-07-28). What it comes back
 * with spares it a second question to a person, once: the client keeps it, and could send it again and again.
 */
import { randomUUID } from 'node:crypto'
import { digestOf } from '../base/call-digest.ts'
import { dropOldest } from '../base/drop-oldest.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { PolicyCall } from '../policy/policy.ts'

export interface PassedRounds {
  /** For the client to come back with. `event`: where the record says that it was called. */
  leave(call: PolicyCall, event: string, inner: unknown): object
  /** `undefined`: with other arguments it is another call. */
  comeBack(call: PolicyCall, state: unknown): Round | undefined
}

export interface Round {
  /** Absent where it was used before, or is from before the hub was started: then it passes nothing. */
  readonly event?: string
  /** What the call itself left. */
  readonly inner: unknown
}

interface PassedState {
  readonly passed: { readonly event: string; readonly digest: string; readonly inner: unknown; readonly once: string }
}

/** Clients that never come back must not fill the hub; who comes back too late is judged as if for the first time. */
const maxOpen = 10_000

export function createPassedRounds(): PassedRounds {
  const open = new Set<string>()
  return {
    leave(call, event, inner) {
      const once = randomUUID()
      open.add(once)
      dropOldest(open, maxOpen)
      return { passed: { event, digest: digestOf(call), inner, once } } satisfies PassedState
    },
    comeBack(call, state) {
      const passed = isRecord(state) ? (state as Partial<PassedState>).passed : undefined
      if (!passed || passed.digest !== digestOf(call)) return undefined
      const { event, inner, once } = passed
      return open.delete(once) ? { event, inner } : { inner }
    },
  }
}
