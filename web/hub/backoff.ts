/** Retries with a delay that grows from one failure to the next. */
export interface Backoff {
  reset(): void
  /** Random, so that not all viewers retry at the same time. A restored network ends the wait, and so does `hurry`. */
  wait(signal: AbortSignal, onWait?: (ms: number) => void): Promise<void>
  hurry(): void
}

const firstMs = 250
const longestMs = 5_000

export function createBackoff(): Backoff {
  let failures = 0
  let end: (() => void) | undefined
  return {
    reset: () => void (failures = 0),
    hurry: () => end?.(),
    wait(signal, onWait) {
      const ms = Math.min(firstMs * 2 ** failures++, longestMs) * (0.5 + Math.random() / 2)
      onWait?.(ms)
      return new Promise((resolve) => {
        const done = new AbortController()
        end = () => {
          clearTimeout(timer)
          done.abort()
          resolve()
        }
        const timer = setTimeout(end, ms)
        addEventListener('online', end, { signal: done.signal })
        signal.addEventListener('abort', end, { signal: done.signal })
      })
    },
  }
}
