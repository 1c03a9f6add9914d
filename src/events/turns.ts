/**
 * The log works on the main thread, in slices. Here they queue up, so that however many readers there are, one turn of the
 * event loop holds little more than a write and a read: both get on, and everything else of the hub between them.
 */
export interface Turns {
  /** Runs a slice of work in a coming turn; each should take about a millisecond at most. */
  take<T>(kind: 'write' | 'read', slice: () => T): Promise<T>
  /** No write gets its turn until the returned function is called. */
  pauseWrites(): () => void
}

/** What one turn may take altogether, a last slice excepted. */
const turnMs = 1.5

export function createTurns(): Turns {
  const waiting = { write: [] as (() => void)[], read: [] as (() => void)[] }
  let isScheduled = false
  let isPaused = false

  const schedule = (): void => {
    const isAnybodyWaiting = waiting.read.length > 0 || (waiting.write.length > 0 && !isPaused)
    if (isScheduled || !isAnybodyWaiting) return
    isScheduled = true
    setImmediate(turn)
  }
  const turn = (): void => {
    isScheduled = false
    const end = performance.now() + turnMs
    if (!isPaused) waiting.write.shift()?.()
    do waiting.read.shift()?.()
    while (waiting.read.length > 0 && performance.now() < end)
    schedule()
  }

  return {
    take(kind, slice) {
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof slice>>()
      waiting[kind].push(() => {
        try {
          resolve(slice())
        } catch (error) {
          reject(error)
        }
      })
      schedule()
      return promise
    },
    pauseWrites() {
      isPaused = true
      return () => {
        isPaused = false
        schedule()
      }
    },
  }
}
