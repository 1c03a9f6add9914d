/**
 * The log works on the main thread, in short slices that queue up here. With any number of readers, one turn of the
 * event loop runs little more than one write and one read. So writes, reads and the rest of the hub all make progress.
 */
export interface Turns {
  /** Runs a slice of work in a later turn. A slice should take at most about a millisecond. */
  take<T>(kind: 'write' | 'read', slice: () => T): Promise<T>
  /** Holds back all writes until the returned function is called. */
  pauseWrites(): () => void
}

/** The time limit of one turn. The last slice may exceed it. */
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
