/** Waiting for what others do, without asking again and again. */
export interface Wait<Found> {
  /** Each is given a listener for changes, and returns the way to stop. */
  readonly sources: readonly ((listener: () => void) => () => void)[]
  look(): Found | undefined | Promise<Found | undefined>
  /** 0: looks once. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Looks, and looks again after each change. `undefined`: the time is up. Rejects when the caller has left. */
export async function waitUntil<Found>({ sources, look, timeoutMs, signal }: Wait<Found>): Promise<Found | undefined> {
  let isChanged = false
  let isOver = timeoutMs <= 0
  let wake = () => {}
  using stops = new DisposableStack()
  // Listens before it looks, so that what happens in between is seen.
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
