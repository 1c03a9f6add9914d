/**
 * The screen of an adopted terminal. It is drawn from disk when it is needed: in slices if the caller can wait, at once
 * if not. So a hub with many terminals starts quickly.
 */
import { setImmediate } from 'node:timers/promises'
import type { Restoring } from './history/restore.ts'
import type { Screen } from './screen/screen.ts'

export interface LazyScreen {
  /** The screen up to the end of the journal. Drawn at once if necessary. */
  readonly drawn: Screen
  readonly isDrawn: boolean
  /** `undefined` as long as it was not needed. */
  readonly begun: Screen | undefined
  /** Draws it in slices. */
  draw(): Promise<void>
  /** The screen is no longer needed. */
  stop(): void
}

/** `onDrawn` is called once; `from` is the offset at which the drawing started. */
export function createLazyScreen(begin: () => Restoring, onDrawn: (screen: Screen, from: number) => void): LazyScreen {
  let restoring: Restoring | undefined
  let drawing: Promise<void> | undefined
  let isDrawn = false
  let isStopped = false

  /** Call it only when the screen has settled: bytes that it has not processed yet would be read and fed twice. */
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
        // `draw` may be in the middle of a slice.
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
