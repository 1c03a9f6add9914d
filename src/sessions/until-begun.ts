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
  let isTimeUp = timeoutMs <= 0
  let wake = () => {}
  const onWake = () => wake()
  using stops = new DisposableStack()
  stops.defer(onChange(onWake))
  const timer = setTimeout(() => {
    isTimeUp = true
    wake()
  }, timeoutMs)
  stops.defer(() => clearTimeout(timer))
  signal.addEventListener('abort', onWake)
  stops.defer(() => signal.removeEventListener('abort', onWake))

  for (;;) {
    signal.throwIfAborted()
    // Before it looks, so that what happens in between is seen.
    const changed = new Promise<void>((resolve) => (wake = resolve))
    const record = await find()
    if (isTimeUp || (record.status !== 'queued' && record.status !== 'starting')) return record
    await changed
  }
}
