/** As much of a screen as fits into a window of another size, with the cursor in it. */
import type { TerminalSize } from '../../api/session.ts'
import type { createScreen, Run } from '../../terminal/terminal.ts'
import { drawRuns } from '../draw-runs.ts'
import { clipToWidth } from '../text-width.ts'
import type { OwnTerminal } from './own-terminal.ts'
import type { Picture } from './view.ts'

/** Given, not imported: an emulator takes a while to load, and few commands need one. */
export type CreateScreen = typeof createScreen

/** As often as eyes can follow. */
const paintMs = 30

export interface MirrorOptions {
  readonly size: TerminalSize
  readonly createScreen: CreateScreen
  /** At the bottom of the window, for others to write on. */
  readonly hiddenRows: number
  onPainted(): void
}

export function createMirrorPicture(terminal: OwnTerminal, options: MirrorOptions): Picture {
  const { size, createScreen, hiddenRows, onPainted } = options
  const screen = createScreen({ size, scrollbackLines: 0, onAnswer: () => {} })
  let painting: NodeJS.Timeout | undefined

  function paint(): void {
    painting = undefined
    const { cols } = terminal.size
    const rows = terminal.size.rows - hiddenRows
    const cursor = screen.cursor()
    const top = Math.max(0, cursor.row - rows + 1)
    const lines = screen
      .rows()
      .slice(top, top + rows)
      .map((row, index) => `\x1b[${index + 1};1H${drawRuns(clip(row.runs(), cols))}\x1b[K`)
    const isCursorShown = cursor.isVisible && cursor.column < cols
    terminal.write(
      `\x1b[?2026h\x1b[?25l${lines.join('')}\x1b[${cursor.row - top + 1};${Math.min(cursor.column, cols - 1) + 1}H` +
        `${isCursorShown ? '\x1b[?25h' : ''}${inputModes()}\x1b[?2026l`,
    )
    onPainted()
  }

  /** What the keyboard sends depends on them. */
  function inputModes(): string {
    const { applicationCursor, bracketedPaste } = screen.modes
    return `\x1b[?1${applicationCursor ? 'h' : 'l'}\x1b[?2004${bracketedPaste ? 'h' : 'l'}`
  }

  async function feed(output: Uint8Array): Promise<void> {
    await screen.feed(Buffer.from(output))
    painting ??= setTimeout(paint, paintMs)
  }

  return {
    draw: (drawing) => void feed(Buffer.from(drawing)),
    show(output) {
      void feed(output)
      return { isStale: false }
    },
    [Symbol.dispose]() {
      clearTimeout(painting)
      screen[Symbol.dispose]()
    },
  }
}

function clip(runs: readonly Run[], cols: number): Parameters<typeof drawRuns>[0] {
  return runs
    .filter(({ column }) => column < cols)
    .map(({ text, column, width, look }) => {
      const { foreground: fg, background: bg, ...styles } = look
      return { ...styles, text: clipToWidth(text, cols - column), col: column, width, fg, bg }
    })
}
