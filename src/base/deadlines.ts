/**
 * Deadlines given as a time of day. A deadline has passed when the clock says so, or when that much time has gone by
 * since it began. So setting the clock back does not prolong a deadline while the hub runs.
 */
export interface Deadlines {
  /** `at` is in ISO 8601. Does nothing if the deadline has begun. */
  begin(id: string, at: string): void
  /** Begins the deadline if it has not begun. */
  hasPassed(id: string, at: string): boolean
  hasAnyPassed(): boolean
  forget(id: string): void
  forgetPassed(): void
}

export interface Clocks {
  readonly now: () => Date
  /** A monotonic count of milliseconds, independent of the clock. */
  readonly elapsedMs: () => number
}

export function createDeadlines({ now, elapsedMs }: Clocks): Deadlines {
  /** The end of each deadline, measured by `elapsedMs`. */
  const ends = new Map<string, number>()

  const leftUntil = (at: string) => Date.parse(at) - now().getTime()
  const isOver = (end: number | undefined) => end !== undefined && elapsedMs() >= end

  function begin(id: string, at: string): void {
    if (!ends.has(id)) ends.set(id, elapsedMs() + leftUntil(at))
  }

  return {
    begin,
    hasPassed(id, at) {
      begin(id, at)
      return isOver(ends.get(id)) || leftUntil(at) <= 0
    },
    hasAnyPassed: () => ends.values().some(isOver),
    forget: (id) => void ends.delete(id),
    forgetPassed() {
      for (const [id, end] of ends) if (isOver(end)) ends.delete(id)
    },
  }
}
