import { waitUntil } from '../base/wait-until.ts'
import type { SessionRecord } from './session-store.ts'

export interface UntilStartedOptions {
  readonly find: () => Promise<SessionRecord>
  /** Returns a function that removes the listener. */
  readonly onChange: (listener: () => void) => () => void
  /** 0: checks once. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Waits until the program runs, the session has ended, or the time is up. Rejects when the signal aborts. */
export async function untilStarted({ find, onChange, timeoutMs, signal }: UntilStartedOptions): Promise<SessionRecord> {
  const started = await waitUntil({
    sources: [onChange],
    timeoutMs,
    signal,
    async look() {
      const record = await find()
      return record.status === 'queued' || record.status === 'starting' ? undefined : record
    },
  })
  return started ?? find()
}
