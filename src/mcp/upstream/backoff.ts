/** How long to wait before the next try, after so many that failed in a row. */
const firstMs = 200
const longestMs = 30_000

export function backoffMs(failures: number, random: () => number): number {
  const planned = Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs)
  // Half of it either way, so that many who lost the same server do not come back at once.
  return Math.min(planned * (0.5 + random()), longestMs)
}
