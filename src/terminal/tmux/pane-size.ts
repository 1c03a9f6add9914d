/** The size of a pane, asked of the system: tmux itself would have to be asked by a process each time. */
import { constants, openSync } from 'node:fs'
import { WriteStream } from 'node:tty'
import type { Size } from '../holder/frames.ts'

export interface SizeWatch {
  look(): void
  /** Unless that was done a moment ago. */
  glance(): void
  close(): void
}

const lookEveryMs = { least: 30, most: 1_000 }

/** `path`: of its terminal, such as `/dev/pts/7`. */
export function watchSize(path: string, known: Size, onChange: (size: Size) => void): SizeWatch {
  let { cols, rows } = known
  let lookedAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(look, lookEveryMs.most)

  function look(): void {
    lookedAt = performance.now()
    const now = sizeOf(path)
    if (!now || (now.cols === cols && now.rows === rows)) return
    ;({ cols, rows } = now)
    onChange(now)
  }

  return {
    look,
    glance() {
      if (performance.now() - lookedAt > lookEveryMs.least) look()
    },
    close: () => clearInterval(timer),
  }
}

/** `undefined`: the terminal is gone. */
function sizeOf(path: string): Size | undefined {
  try {
    // Not kept open: tmux takes the end of all who have it open for the end of the program.
    const terminal = new WriteStream(openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK))
    const [cols, rows] = terminal.getWindowSize()
    terminal.destroy()
    return { cols, rows }
  } catch {
    return undefined
  }
}
