/**
 * A session on the person's terminal: a snapshot first, then the program's output. If the window has the size of the
 * session, output is passed through. Otherwise, or while a notice is shown, our own emulator shows the part that fits.
 */
import type { TerminalSize } from '../../api/session.ts'
import { printableLine } from '../terminal-output/printable.ts'
import { createPassthroughRenderer } from './passthrough-renderer.ts'
import { type CreateScreen, createClippedRenderer } from './clipped-renderer.ts'
import type { RawTerminal } from './raw-terminal.ts'
import { emptyScreen, plainModes } from './output-filter.ts'
import type { Renderer, Shown } from './renderer.ts'

export interface View {
  /** Draws the whole screen from a snapshot. */
  draw(snapshot: string, size: TerminalSize): void
  /** Shows the output that follows the snapshot. */
  show(output: Uint8Array): Shown
  /** Shows one line in place of the last row, at once. The other rows may be wrong until the next snapshot is drawn. */
  setNotice(notice: string | undefined): void
}

export interface ViewOptions {
  /** Whether the program may set the person's clipboard. */
  readonly clipboard: boolean
  readonly createScreen: CreateScreen
}

export function createView(terminal: RawTerminal, { clipboard, createScreen }: ViewOptions): View {
  let renderer: Renderer | undefined
  let isDirect = false
  let notice: string | undefined
  terminal.onLeave(() => renderer?.[Symbol.dispose]())

  function writeNotice(): void {
    if (notice === undefined) return
    const { cols, rows } = terminal.size
    const line = ` ${printableLine(notice)} `.slice(0, cols)
    terminal.write(`\x1b7\x1b[?6l\x1b[r\x1b[${rows};1H\x1b[0;7m${line}\x1b[K\x1b[0m\x1b8`)
  }

  return {
    draw(snapshot, size) {
      renderer?.[Symbol.dispose]()
      const { cols, rows } = terminal.size
      isDirect = notice === undefined && size.cols === cols && size.rows === rows
      renderer = isDirect
        ? createPassthroughRenderer(terminal, { clipboard })
        : createClippedRenderer(terminal, {
            size,
            createScreen,
            hiddenRows: notice === undefined ? 0 : 1,
            onPainted: writeNotice,
          })
      terminal.write(plainModes + wheelWithoutArrowKeys + emptyScreen)
      renderer.draw(snapshot)
    },
    show(output) {
      // Output that is passed through would scroll the notice away.
      if (notice !== undefined && isDirect) return { isStale: true }
      return renderer?.show(output) ?? { isStale: false }
    },
    setNotice(next) {
      notice = next
      writeNotice()
    },
  }
}

/** On the alternate screen many terminals turn the wheel into arrow keys, which would walk through a shell's history. */
const wheelWithoutArrowKeys = '\x1b[?1007l'
