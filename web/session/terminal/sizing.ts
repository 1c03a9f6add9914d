/**
 * The terminal takes the size that fills the page of the viewer that types. The page requests it when its own size
 * changes, and does not fight a size that another viewer set on purpose.
 */
import type { TerminalSize } from '../../../src/api/session.ts'

const againMs = 1_000

export interface SizingOptions {
  /** `undefined`: this viewer does not decide. */
  wanted(): TerminalSize | undefined
  present(): TerminalSize
  /** Returns whether it was granted. */
  ask(size: TerminalSize): Promise<boolean>
}

export interface Sizing {
  /** Sends one request at a time, and repeats a refused one. */
  settle(): Promise<void>
  /** Another viewer may have chosen the size meanwhile. */
  forget(): void
}

export function createSizing({ wanted, present, ask }: SizingOptions): Sizing {
  let granted: TerminalSize | undefined
  let isAsking = false

  function sizeToRequest(): TerminalSize | undefined {
    const size = wanted()
    return size && !isSame(size, present()) && !isSame(size, granted) ? size : undefined
  }

  return {
    async settle() {
      if (isAsking) return
      isAsking = true
      for (let size = sizeToRequest(); size; size = sizeToRequest()) {
        if (await ask(size)) granted = size
        else await new Promise((resolve) => setTimeout(resolve, againMs))
      }
      isAsking = false
    },
    forget: () => void (granted = undefined),
  }
}

function isSame({ cols, rows }: TerminalSize, other: TerminalSize | undefined): boolean {
  return cols === other?.cols && rows === other.rows
}
