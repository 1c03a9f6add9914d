/** Caches an expensive reading for `ms` milliseconds. */
export function atMostEvery(ms: number, read: () => number): () => number {
  let value = 0
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - readAt >= ms) {
      value = read()
      readAt = now
    }
    return value
  }
}
