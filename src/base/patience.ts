/** Calls back for what still waits after a while. One timer for all: most never wait that long. */
export interface Patience {
  /** Returns the way to stop waiting. */
  watch(onSlow: () => void): () => void
}

const checks = 8

export function createPatience(ms: number): Patience {
  const waiting = new Map<symbol, { readonly since: number; readonly onSlow: () => void }>()
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    const before = performance.now() - ms
    // In the order they came, so the first that is young enough ends the search.
    for (const [key, { since, onSlow }] of waiting) {
      if (since > before) break
      waiting.delete(key)
      onSlow()
    }
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    watch(onSlow) {
      const key = Symbol('waiting')
      waiting.set(key, { since: performance.now(), onSlow })
      timer ??= setInterval(check, ms / checks).unref()
      return () => void waiting.delete(key)
    },
  }
}
