/**
 * A session as it is drawn on the person's terminal: once from a drawing, from there on by what its program prints. In a
 * window of its size that is passed on as it is. In any other, or under a notice, an emulator of our own shows as much as
 * fits.
 */
import type { TerminalSize } from '../../api/session.ts'
import { emptyScreen, plainModes } from '../output-filter.ts'
import { createDirectPicture } from './direct-picture.ts'
import type { CreateScreen } from './mirror-picture.ts'
import { createMirrorPicture } from './mirror-picture.ts'
import type { OwnTerminal } from './own-terminal.ts'

export interface View {
  /** From nothing. */
  draw(drawing: string, size: TerminalSize): void
  /** What came behind the drawing. */
  show(output: Uint8Array): Shown
  /** One line in place of the last row. It is there at once; the rest of the screen is right from the next drawing on. */
  tell(notice: string | undefined): void
}

export interface Shown {
  /** It has to be drawn anew. */
  readonly isStale: boolean
}

/** One way to show it, from one drawing to the next. Disposed of, it takes back what modes alone do not. */
export interface Picture extends Disposable {
  draw(drawing: string): void
  show(output: Uint8Array): Shown
}

export interface ViewOptions {
  /** Whether the program may set the person's clipboard. */
  readonly clipboard: boolean
  readonly createScreen: CreateScreen
}

export function createView(terminal: OwnTerminal, { clipboard, createScreen }: ViewOptions): View {
  let picture: Picture | undefined
  let isDirect = false
  let notice: string | undefined
  terminal.onLeave(() => picture?.[Symbol.dispose]())

  function writeNotice(): void {
    if (notice === undefined) return
    const { cols, rows } = terminal.size
    const line = ` ${notice} `.slice(0, cols)
    terminal.write(`\x1b7\x1b[?6l\x1b[r\x1b[${rows};1H\x1b[0;7m${line}\x1b[K\x1b[0m\x1b8`)
  }

  return {
    draw(drawing, size) {
      picture?.[Symbol.dispose]()
      const { cols, rows } = terminal.size
      isDirect = notice === undefined && size.cols === cols && size.rows === rows
      picture = isDirect
        ? createDirectPicture(terminal, { clipboard })
        : createMirrorPicture(terminal, {
            size,
            createScreen,
            hiddenRows: notice === undefined ? 0 : 1,
            onPainted: writeNotice,
          })
      terminal.write(plainModes + wheelAtRest + emptyScreen)
      picture.draw(drawing)
    },
    show(output) {
      // What is passed on would scroll the notice away.
      if (notice !== undefined && isDirect) return { isStale: true }
      return picture?.show(output) ?? { isStale: false }
    },
    tell(next) {
      notice = next
      writeNotice()
    },
  }
}

/** On the alternate screen many terminals let the wheel type arrow keys, which would walk through a shell's history. */
const wheelAtRest = '\x1b[?1007l'
