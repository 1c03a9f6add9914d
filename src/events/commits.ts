/** Tracks the newest committed seq and notifies listeners of new ones. */
export interface Commits {
  readonly lastSeq: number
  /** Notifies all listeners, unless `seq` is already known. */
  announce(seq: number): void
  onCommit(listener: (seq: number) => void): () => void
  waitBeyond(cursor: number, options: { timeoutMs: number; signal?: AbortSignal }): Promise<boolean>
}

export function createCommits(onFault: (error: unknown) => void): Commits {
  const listeners = new Set<(seq: number) => void>()
  let lastSeq = 0

  const onCommit = (listener: (seq: number) => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return {
    get lastSeq() {
      return lastSeq
    },
    onCommit,
    announce(seq) {
      if (seq <= lastSeq) return
      lastSeq = seq
      for (const listener of listeners) {
        try {
          listener(seq)
        } catch (error) {
          // A faulty listener must not fail the append or the other listeners.
          onFault(error)
        }
      }
    },
    waitBeyond(cursor, { timeoutMs, signal }) {
      if (lastSeq > cursor) return Promise.resolve(true)
      if (signal?.aborted === true || timeoutMs <= 0) return Promise.resolve(false)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), timeoutMs)
      const giveUp = (): void => resolve(false)
      signal?.addEventListener('abort', giveUp, { once: true })
      const stop = onCommit((seq) => {
        if (seq > cursor) resolve(true)
      })
      return promise.finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        stop()
      })
    },
  }
}
