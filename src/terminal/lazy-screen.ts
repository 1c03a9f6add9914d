/**
 * The screen of a terminal with a past. It is drawn from disk when somebody needs it: in slices if they can wait, at
 * once if they cannot. So a hub that comes up with many terminals is there at once.
 */
import { setImmediate } from 'node:timers/promises'
import type { Restoring } from './restore.ts'
import type { Screen } from './screen.ts'

export interface LazyScreen {
  /** Drawn to the end of what is on disk, at once if that has not been done. */
  readonly drawn: Screen
  readonly isDrawn: boolean
  /** `undefined` as long as nobody needed it. */
  readonly begun: Screen | undefined
  /** Draws it without holding anybody up. */
  draw(): Promise<void>
  /** Nobody needs it any more. */
  stop(): void
}

/** `onDrawn` is called once. */
export function createLazyScreen(begin: () => Restoring, onDrawn: (screen: Screen) => void): LazyScreen {
  let restoring: Restoring | undefined
  let isDrawn = false
  let isStopped = false

  /** False when it is drawn. */
  function step(): boolean {
    restoring ??= begin()
    if (!restoring.isDone) restoring.step()
    if (!restoring.isDone) return true
    if (!isDrawn) {
      isDrawn = true
      onDrawn(restoring.screen)
    }
    return false
  }

  return {
    get drawn() {
      while (!isDrawn && step()) restoring!.screen.flush()
      return restoring!.screen
    },
    get isDrawn() {
      return isDrawn
    },
    get begun() {
      return restoring?.screen
    },
    async draw() {
      while (!isDrawn && !isStopped && step()) {
        await restoring!.screen.settled()
        await setImmediate()
      }
    },
    stop() {
      isStopped = true
      restoring?.screen[Symbol.dispose]()
    },
  }
}
