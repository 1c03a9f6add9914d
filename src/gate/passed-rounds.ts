/**
 * An allowed call may ask its client something and come back with the answer (2026-07-28). The state that it brings
 * back saves a second approval, but only once: the client keeps the state and could send it many times.
 */
import { randomUUID } from 'node:crypto'
import { digestOf } from '../base/call-digest.ts'
import { dropOldest } from '../base/drop-oldest.ts'
import { isRecord } from '../base/is-record.ts'
import type { PolicyCall } from '../policy/policy.ts'

export interface PassedRounds {
  /** Creates the state for the client to bring back. `event`: the event that records the call. */
  leave(call: PolicyCall, event: string, inner: unknown): object
  /** `undefined`: the arguments differ, so it is another call. */
  comeBack(call: PolicyCall, state: unknown): Round | undefined
}

export interface Round {
  /** Absent if the state was used before or comes from before the hub started. Then the call needs a new approval. */
  readonly event?: string
  /** The state of the call itself. */
  readonly inner: unknown
}

interface PassedState {
  readonly passed: { readonly event: string; readonly digest: string; readonly inner: unknown; readonly once: string }
}

/** Clients that never come back must not fill the hub. One that comes back too late is decided like a new call. */
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
