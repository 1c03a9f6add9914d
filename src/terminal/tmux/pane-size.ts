/** Watches the size of a pane through the system, since asking tmux would need a new process each time. */
import { constants, openSync } from 'node:fs'
import { WriteStream } from 'node:tty'
import type { Size } from '../pty/size.ts'

export interface SizeWatch {
  check(): void
  /** Checks, unless the last check was a moment ago. */
  checkIfDue(): void
  close(): void
}

export interface SizeListeners {
  onChange(size: Size): void
  /** The terminal is gone. Called at every check, until the watch is closed. */
  onGone(): void
}

const checkEveryMs = { least: 30, most: 1_000 }

/** `path`: the terminal device of the pane, such as `/dev/pts/7`. */
export function watchSize(path: string, known: Size, { onChange, onGone }: SizeListeners): SizeWatch {
  let { cols, rows } = known
  let checkedAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(check, checkEveryMs.most)

  function check(): void {
    checkedAt = performance.now()
    const now = sizeOf(path)
    if (!now) return onGone()
    if (now.cols === cols && now.rows === rows) return
    ;({ cols, rows } = now)
    onChange(now)
  }

  return {
    check,
    checkIfDue() {
      if (performance.now() - checkedAt > checkEveryMs.least) check()
    },
    close: () => clearInterval(timer),
  }
}

/** `undefined`: the terminal is gone. */
function sizeOf(path: string): Size | undefined {
  try {
    // Not kept open: tmux notices the end of the program only when every process has closed the terminal.
    const terminal = new WriteStream(openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK))
    const [cols, rows] = terminal.getWindowSize()
    terminal.destroy()
    return { cols, rows }
  } catch {
    return undefined
  }
}
