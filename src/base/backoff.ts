/** How long to wait before the next try. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/** Doubles with each failure in a row, with jitter, so that clients that lost the same server do not return at once. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random = Math.random): number {
  const planned = Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs)
  return Math.min(planned * (0.5 + random()), longestMs)
}
