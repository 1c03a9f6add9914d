/**
 * A share of the event loop, for work that an outside program causes and that the hub did not ask for. A program can
 * send without end, and everything it sends takes time of the hub. When its share is used up, the program has to wait.
 */
export interface LoopShare extends Disposable {
  /** Counts work that was done. A negative number takes it back. */
  charge(ms: number): void
  /** How long the program has to wait now, which is `at` on the clock of `performance`. 0: it may go on. */
  restMs(at: number): number
}

/** Of one core. Programs that have to wait divide the second one among them. */
const shareOfOne = 0.1
const shareOfAll = 0.2
/** Does not slow a program that starts, or a burst of log lines. */
const burstMs = 100
/** Limits how long a program waits after one expensive message. */
const mostOwedMs = 250
/** A rest ends when there is time for this much work again, so that it is worth its timer. */
const worthMs = 2

/** A process has one event loop. */
const resting = new Set<LoopShare>()

export function createLoopShare(at = performance.now()): LoopShare {
  let left = burstMs
  let countedAt = at
  let isDisposed = false

  const share: LoopShare = {
    charge(ms) {
      left = Math.max(left - ms, -mostOwedMs)
    },
    restMs(now) {
      left = Math.min(left + (now - countedAt) * rate(), burstMs)
      countedAt = now
      if (left > 0) {
        resting.delete(share)
        return 0
      }
      // What comes after the end must not slow the others for ever.
      if (!isDisposed) resting.add(share)
      return Math.ceil((worthMs - left) / rate())
    },
    [Symbol.dispose]() {
      isDisposed = true
      resting.delete(share)
    },
  }

  return share
}

function rate(): number {
  return Math.min(shareOfOne, shareOfAll / Math.max(1, resting.size))
}
