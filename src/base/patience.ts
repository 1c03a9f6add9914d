/** Calls back for what still waits after a while. One timer for all: most never wait that long. */
export interface Patience {
  /** Returns the way to stop waiting. */
  watch(onSlow: () => void): () => void
}

interface Waiting {
  readonly since: number
  onSlow: (() => void) | undefined
}

const checks = 8

export function createPatience(ms: number): Patience {
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    const before = performance.now() - ms
    // In the order they came, so the first that is young enough ends the search.
    for (const one of waiting) {
      if (one.since > before) break
      waiting.delete(one)
      one.onSlow?.()
    }
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    watch(onSlow) {
      const one: Waiting = { since: performance.now(), onSlow }
      waiting.add(one)
      timer ??= setInterval(check, ms / checks).unref()
      return () => {
        waiting.delete(one)
        // A set that is added to and deleted from all the time leaves old tables behind, which keep what they held until
        // the next major collection: it had better be next to nothing.
        one.onSlow = undefined
      }
    },
  }
}
