/** Waits for a condition without polling. */
export interface Wait<Found> {
  /** Each takes a listener for changes, and returns a function that removes it. */
  readonly sources: readonly ((listener: () => void) => () => void)[]
  look(): Found | undefined | Promise<Found | undefined>
  /** 0 means: look once. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Looks, and looks again after each change. Resolves with `undefined` at the timeout. Rejects if the signal aborts. */
export async function waitUntil<Found>({ sources, look, timeoutMs, signal }: Wait<Found>): Promise<Found | undefined> {
  let isChanged = false
  let isOver = timeoutMs <= 0
  let wake = () => {}
  using stops = new DisposableStack()
  // Listens before it looks, so that a change in between is not missed.
  for (const listen of sources) {
    stops.defer(
      listen(() => {
        isChanged = true
        wake()
      }),
    )
  }
  const timer = setTimeout(() => {
    isOver = true
    wake()
  }, timeoutMs)
  stops.defer(() => clearTimeout(timer))
  const leave = () => wake()
  signal.addEventListener('abort', leave)
  stops.defer(() => signal.removeEventListener('abort', leave))

  for (;;) {
    signal.throwIfAborted()
    isChanged = false
    const found = await look()
    if (found !== undefined || isOver) return found
    if (!isChanged && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve))
  }
}
