import { waitUntil } from '../base/wait-until.ts'
import type { SessionRecord } from './session-store.ts'

export interface UntilBegunOptions {
  readonly find: () => Promise<SessionRecord>
  /** Returns the way to stop. */
  readonly onChange: (listener: () => void) => () => void
  /** 0: looks once. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Until its program runs, it is over, or the time is up. Rejects when the caller has left. */
export async function untilBegun({ find, onChange, timeoutMs, signal }: UntilBegunOptions): Promise<SessionRecord> {
  const begun = await waitUntil({
    sources: [onChange],
    timeoutMs,
    signal,
    async look() {
      const record = await find()
      return record.status === 'queued' || record.status === 'starting' ? undefined : record
    },
  })
  return begun ?? find()
}
