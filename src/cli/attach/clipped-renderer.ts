/** Shows the part of a screen that fits into a window of another size. The cursor is always in that part. */
import type { TerminalSize } from '../../api/session.ts'
import type { createScreen, Run } from '../../terminal/terminal.ts'
import { clipToWidth } from '../terminal-output/text-width.ts'
import type { RawTerminal } from './raw-terminal.ts'
import { drawRuns } from './draw-runs.ts'
import type { Renderer } from './renderer.ts'

/** Passed in, not imported: the emulator is slow to load, and few commands need it. */
export type CreateScreen = typeof createScreen

/** Faster than this is not visible. */
const paintMs = 30

export interface ClippedRendererOptions {
  readonly size: TerminalSize
  readonly createScreen: CreateScreen
  /** Rows at the bottom of the window that are left free for a notice. */
  readonly hiddenRows: number
  onPainted(): void
}

export function createClippedRenderer(terminal: RawTerminal, options: ClippedRendererOptions): Renderer {
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

  /** The modes that change what the keyboard sends. */
  function inputModes(): string {
    const { applicationCursor, bracketedPaste } = screen.modes
    return `\x1b[?1${applicationCursor ? 'h' : 'l'}\x1b[?2004${bracketedPaste ? 'h' : 'l'}`
  }

  async function feed(output: Uint8Array): Promise<void> {
    await screen.feed(Buffer.from(output))
    painting ??= setTimeout(paint, paintMs)
  }

  return {
    draw: (snapshot) => void feed(Buffer.from(snapshot)),
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
    .map(({ text, column, width, style }) => {
      const { foreground: fg, background: bg, ...styles } = style
      return { ...styles, text: clipToWidth(text, cols - column), col: column, width, fg, bg }
    })
}
