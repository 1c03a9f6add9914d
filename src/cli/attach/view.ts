/**
 * A session as it is drawn on the person's terminal: once from a drawing, from there on by what its program prints. In a
 * window of its size that is passed on as it is; in any other, an emulator of our own shows as much as fits.
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
  /** One line over the last row; it goes with the next drawing. */
  tell(notice: string): void
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
  terminal.onLeave(() => picture?.[Symbol.dispose]())

  return {
    draw(drawing, size) {
      picture?.[Symbol.dispose]()
      const isOfSize = size.cols === terminal.size.cols && size.rows === terminal.size.rows
      picture = isOfSize
        ? createDirectPicture(terminal, { clipboard })
        : createMirrorPicture(terminal, { size, createScreen })
      terminal.write(plainModes + wheelAtRest + emptyScreen)
      picture.draw(drawing)
    },
    show: (output) => picture?.show(output) ?? { isStale: false },
    tell(notice) {
      const { cols, rows } = terminal.size
      const line = ` ${notice} `.slice(0, cols)
      terminal.write(`\x1b7\x1b[?6l\x1b[r\x1b[${rows};1H\x1b[0;7m${line}\x1b[K\x1b[0m\x1b8`)
    },
  }
}

/** On the alternate screen many terminals let the wheel type arrow keys, which would walk through a shell's history. */
const wheelAtRest = '\x1b[?1007l'
