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

/** `onDrawn` is called once; `from` is where the drawing began. */
export function createLazyScreen(begin: () => Restoring, onDrawn: (screen: Screen, from: number) => void): LazyScreen {
  let restoring: Restoring | undefined
  let drawing: Promise<void> | undefined
  let isDrawn = false
  let isStopped = false

  /** Only once the screen has settled: what it has not taken yet would be read from the journal again, and fed twice. */
  function step(): void {
    restoring ??= begin()
    restoring.step()
    if (!restoring.isDone) return
    isDrawn = true
    onDrawn(restoring.screen, restoring.from)
  }

  async function drawInSlices(): Promise<void> {
    while (!isDrawn && !isStopped) {
      step()
      await restoring!.screen.settled()
      await setImmediate()
    }
  }

  return {
    get drawn() {
      while (!isDrawn) {
        // Whoever draws it in slices may be in the middle of one.
        restoring?.screen.flush()
        step()
      }
      return restoring!.screen
    },
    get isDrawn() {
      return isDrawn
    },
    get begun() {
      return restoring?.screen
    },
    draw: () => (drawing ??= drawInSlices()),
    stop() {
      isStopped = true
      restoring?.screen[Symbol.dispose]()
    },
  }
}
