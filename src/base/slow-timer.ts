/** Calls back for each call that takes longer than a limit. All calls share one timer, since most are faster. */
export interface SlowTimer {
  /** Returns a function that stops watching. */
  watch(onSlow: () => void): () => void
}

interface Waiting {
  readonly since: number
  onSlow: (() => void) | undefined
}

const checks = 8

export function createSlowTimer(ms: number): SlowTimer {
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    const before = performance.now() - ms
    // The set is in order of arrival, so the first that is young enough ends the search.
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
        // The tables of a set keep removed entries alive, as those of a map do (in-flight-map.ts).
        one.onSlow = undefined
      }
    },
  }
}
