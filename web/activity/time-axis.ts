/**
 * The time axis of a turn. A wait that takes more than a fifth of the turn is folded to a fixed width, so that the work
 * around it stays readable; its true length stands there in words.
 */
import { duration } from '../parts/time.ts'

/** Milliseconds since the turn began. */
export interface Interval {
  readonly from: number
  readonly to: number
}

export interface Axis {
  /** Where a moment is: 0 is the left end, 1 the right. */
  at(ms: number): number
  readonly ticks: readonly { readonly at: number; readonly label: string }[]
  readonly folds: readonly { readonly from: number; readonly to: number; readonly label: string }[]
}

const foldedPx = 64
const foldsFromShare = 1 / 5
/** Ticks are at least this far apart. */
const tickPx = 56
const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200, 86_400]

export function createAxis(totalMs: number, waits: readonly Interval[], widthPx: number): Axis {
  const total = Math.max(totalMs, 1)
  const folded = waits.filter(({ from, to }) => to - from > total * foldsFromShare)
  const foldedMs = folded.reduce((sum, { from, to }) => sum + to - from, 0)
  // The folds never take more than half of the axis.
  const foldShare = Math.min(foldedPx / widthPx, 0.5 / Math.max(folded.length, 1))
  const workMs = Math.max(total - foldedMs, 1)
  const workShare = 1 - foldShare * folded.length

  function at(ms: number): number {
    const moment = Math.min(Math.max(ms, 0), total)
    let share = (moment / workMs) * workShare
    for (const { from, to } of folded) {
      const inside = Math.min(Math.max(moment - from, 0), to - from)
      share += (inside / (to - from)) * foldShare - (inside / workMs) * workShare
    }
    return Math.min(share, 1)
  }

  const folds = folded.map(({ from, to }) => ({
    from: at(from),
    to: at(to),
    label: duration(to - from, { seconds: to - from < 60_000 }),
  }))
  return { at, folds, ticks: ticksOf() }

  function ticksOf(): Axis['ticks'] {
    const pxPerMs = (workShare * widthPx) / workMs
    const step = (steps.find((seconds) => seconds * 1000 * pxPerMs >= tickPx) ?? steps.at(-1)!) * 1000
    const ticks: { at: number; label: string }[] = []
    let last = -Infinity
    for (let ms = 0; ms <= total; ms += step) {
      const place = at(ms)
      const isFree = folds.every(({ from, to }) => place * widthPx < from * widthPx - 8 || place >= to)
      if (!isFree || place * widthPx > widthPx - 28 || (place - last) * widthPx < tickPx * 0.75) continue
      ticks.push({ at: place, label: tickLabel(ms, step) })
      last = place
      // A jump over a fold would take many steps.
      const fold = folded.find(({ from, to }) => ms < from && ms + step >= from && to - from > step)
      if (fold) ms = Math.floor(fold.to / step) * step
    }
    return ticks
  }
}

function tickLabel(ms: number, step: number): string {
  if (step < 1000) return `${(ms / 1000).toFixed(1)} s`
  return ms % 60_000 === 0 && ms > 0 ? duration(ms) : ms < 60_000 ? `${ms / 1000} s` : duration(ms)
}

/** As few intervals as cover the same time, in order. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const joined: { from: number; to: number }[] = []
  for (const { from, to } of intervals.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

/** The parts of the intervals that the others do not cover. */
export function without(intervals: readonly Interval[], others: readonly Interval[]): readonly Interval[] {
  return union(others).reduce<readonly Interval[]>(
    (left, { from, to }) =>
      left.flatMap((each) => {
        if (to <= each.from || from >= each.to) return [each]
        return [
          ...(from > each.from ? [{ from: each.from, to: from }] : []),
          ...(to < each.to ? [{ from: to, to: each.to }] : []),
        ]
      }),
    union(intervals),
  )
}
