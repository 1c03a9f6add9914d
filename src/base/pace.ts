/**
 * Shares the time of the hub with a program that may send without end: after each slice of work for it, the rest of the
 * hub has as long a turn.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Short enough for people who type in another session, and long enough that a pause is rare. */
const sliceMs = 4
/** A single message may take long, also because others have their turn meanwhile. */
const longestPauseMs = 100

/** Call the function after a piece of work that began at this time. It resolves when there may be more. */
export function createPace(): (startedAt: number) => Promise<void> {
  let workedMs = 0
  return async (startedAt) => {
    workedMs += performance.now() - startedAt
    if (workedMs < sliceMs) return
    const pauseMs = Math.min(workedMs, longestPauseMs)
    workedMs = 0
    await sleep(pauseMs, undefined, { ref: false })
  }
}
