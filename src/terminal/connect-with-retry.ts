import { setTimeout as sleep } from 'node:timers/promises'
import type { HolderConnection } from './holder-connection.ts'
import { connectToHolder } from './holder-connection.ts'

export interface RetryOptions {
  /** Called before each attempt. */
  readonly isWanted: () => boolean
  /** If it throws, the attempts end. */
  readonly onFailure: (error: unknown) => void
}

const firstPauseMs = 100
const longestPauseMs = 10_000

/**
 * Tries again and again, with growing pauses: an obstacle such as too many open files does not show whether the holder
 * is alive. `undefined`: there is no holder, or it is not wanted any more.
 */
export async function connectWithRetry(path: string, options: RetryOptions): Promise<HolderConnection | undefined> {
  const { isWanted, onFailure } = options
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
