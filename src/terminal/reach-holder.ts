import { setTimeout as sleep } from 'node:timers/promises'
import type { HolderConnection } from './holder-connection.ts'
import { connectToHolder } from './holder-connection.ts'

export interface Reaching {
  /** Asked before each attempt. */
  readonly isWanted: () => boolean
  /** What it throws ends the attempts. */
  readonly onFailure: (error: unknown) => void
}

const firstPauseMs = 100
const longestPauseMs = 10_000

/**
 * Tries again and again, later each time: what keeps us from a holder, such as too many open files, says nothing of
 * whether it lives. `undefined`: nobody is there, or it is not wanted any more.
 */
export async function reachHolder(path: string, reaching: Reaching): Promise<HolderConnection | undefined> {
  const { isWanted, onFailure } = reaching
  for (let pauseMs = firstPauseMs; isWanted(); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await connectToHolder(path)
    } catch (error) {
      onFailure(error)
      await sleep(pauseMs, undefined, { ref: false })
    }
  }
  return undefined
}
