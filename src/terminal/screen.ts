/**
 * The screen of one terminal: an emulator that is fed every byte of output, and what can be read from it.
 */
import { cpuMs } from '../base/cpu-ms.ts'
import type { Remainder } from './emulator/drawing.ts'
import { drawEmulator, restoreRemainder } from './emulator/drawing.ts'
import { createEmulator } from './emulator/emulator.ts'
import { followLinks } from './emulator/links.ts'
import { followOlderLines } from './emulator/older-lines.ts'
import { followPalette } from './emulator/palette.ts'
import { answerQuestions } from './emulator/questions.ts'
import { followShellMarks } from './emulator/shell-marks.ts'
import { followTitles } from './emulator/titles.ts'
import { createFeeder } from './feeder.ts'
import type { Size } from './holder/frames.ts'
import { modesOf } from './screen-modes.ts'
import { createReading } from './screen-reading.ts'

export interface Screen extends Disposable {
  readonly size: Size
  /** The offset of the next byte it has not taken. */
  readonly offset: number
  /** How much work it was to draw all bytes that were fed. */
  readonly drawingMs: number
  /** Takes bytes without waiting; resolves when they are on the screen. Pipelined: await only to hold back the source. */
  feed(bytes: Buffer, options?: FeedOptions): Promise<void>
  /** The bytes from the last one fed up to here are lost. */
  skipTo(offset: number): void
  /** Takes effect behind all that was fed before. */
  resize(size: Size): void
  /** All that was fed is on the screen. */
  settled(): Promise<void>
  /** Puts all that was fed on the screen now, however long that takes. */
  flush(): void

  /** The visible rows, top to bottom. */
  rows(): readonly ScreenRow[]
  /** What they show, without the empty ones at the end. */
  text(): string
  /** Lines that have scrolled off the top, still hot; index 0 is the oldest kept. They stay behind an alternate screen. */
  scrollback(): readonly ScreenRow[]
  readonly scrollbackLength: number
  /** There were more lines than are kept hot: the journal has them. */
  readonly hasOlderLines: boolean
  /** Lets go of the oldest lines that have scrolled off. */
  dropScrollback(count: number): void
  /** One of the visible rows. */
  row(index: number): ScreenRow
  cell(row: number, column: number): Cell
  cursor(): Cursor
  readonly title: string
  /** From OSC 7, if the program says so. */
  readonly workingDirectory: string | undefined
  /** From OSC 133: at its prompt, or running a command; `undefined` if the shell does not tell. */
  readonly shellState: 'prompt' | 'running' | undefined
  readonly modes: Modes

  /** The colours of the terminal itself, `#rrggbb`; the program may have changed them. */
  readonly colours: { readonly foreground: string; readonly background: string; readonly cursor: string }

  /**
   * Everything needed to go on from `offset`; `undefined` in the middle of a sequence or character and in a few rare
   * states: ask again after more output.
   */
  snapshot(): Snapshot | undefined
}

export interface FeedOptions {
  /** These bytes are not new: what they ask was answered when they were. */
  readonly isReplay?: boolean
}

export interface TextRow {
  /** Without trailing blanks. */
  readonly text: string
  /** With the blanks printed at its end, from where the next row goes on if it is wrapped. */
  readonly printedText: string
  /** It continues the row above: one line of the program, wrapped. */
  readonly isWrapped: boolean
  /** The column at which `printedText[index]` stands; at its length, the column behind it. */
  columnOf(index: number): number
}

/** A view, to be read before more is fed: afterwards it throws rather than tell of another line. What was read stays. */
export interface ScreenRow extends TextRow {
  /** Neighbouring cells of one look. Columns are columns: a wide character takes two. */
  runs(): readonly Run[]
}

export interface Run {
  readonly text: string
  readonly column: number
  readonly width: number
  readonly look: Look
}

export interface Look {
  /** `#rrggbb`, or `default` */
  readonly foreground: string
  readonly background: string
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly reverse: boolean
  readonly struck: boolean
  readonly invisible: boolean
  /** OSC 8 */
  readonly link?: string
}

export interface Cell {
  /** A blank where there is nothing, and empty in the second column of a wide character. */
  readonly character: string
  readonly codepoint: number
  readonly width: 0 | 1 | 2
  readonly look: Look
}

export interface Cursor {
  readonly row: number
  readonly column: number
  readonly character: string
  readonly isVisible: boolean
  readonly shape: 'block' | 'underline' | 'bar'
}

export interface Modes {
  readonly alternateScreen: boolean
  readonly bracketedPaste: boolean
  readonly applicationCursor: boolean
  readonly applicationKeypad: boolean
  readonly mouse: 'none' | 'x10' | 'vt200' | 'drag' | 'any'
}

export interface Snapshot {
  /** A snapshot of another format is of no use: feed everything from the journal instead. */
  readonly format: typeof snapshotFormat
  readonly offset: number
  readonly size: Size
  /** Escape sequences that draw it on an empty emulator of this size. */
  readonly drawing: string
  readonly remainder: Remainder
  readonly title: string
  readonly workingDirectory?: string
  readonly shellState?: 'prompt' | 'running'
  readonly hasOlderLines: boolean
}

/** Raised when the emulator or the way it is drawn changes so that older snapshots would mislead. */
export const snapshotFormat = 3

export interface ScreenOptions {
  readonly size: Size
  /** Lines kept hot above the visible ones. */
  readonly scrollbackLines: number
  /** Answers of the emulator to what the program asked up to `offset` (cursor position, device attributes, colours). */
  readonly onAnswer: (bytes: Buffer, offset: number) => void
  /** The emulator failed on some bytes, which is a bug worth telling; the screen goes on behind them. */
  readonly onFault?: (error: Error) => void
  /** The program has the lines above the visible ones forgotten. */
  readonly onScrollbackCleared?: () => void
  /** Where the first byte fed stands in the journal. */
  readonly offset?: number
  /** Goes on from here; `size` and `offset` are those of the snapshot. Drawn once `settled`. */
  readonly from?: Snapshot
}

export function createScreen(options: ScreenOptions): Screen {
  const { size, scrollbackLines, onAnswer, onFault, offset, from } = options
  let isMuted = false
  const emulator = createEmulator({
    size: from?.size ?? size,
    scrollbackLines,
    onAnswer: (bytes) => !isMuted && onAnswer(bytes, taken),
    onFault: (error) => onFault?.(error),
  })
  const links = followLinks(emulator)
  const titles = followTitles(emulator)
  const palette = followPalette(emulator)
  const marks = followShellMarks(emulator)
  const older = followOlderLines(emulator, options.onScrollbackCleared)
  answerQuestions(emulator)

  const feeder = createFeeder()
  let taken = from?.offset ?? offset ?? 0
  /** Where the next byte fed stands. */
  let fed = taken
  let drawingMs = 0
  /** Counts the changes, so that a row knows when it is out of date. */
  let changes = 0

  function parse(piece: Buffer, options: FeedOptions): void {
    changes++
    isMuted = options.isReplay === true
    emulator.parse(piece)
    older.note()
  }

  let isDrawn = true
  if (from) {
    isDrawn = false
    void feeder.feed(Buffer.from(from.drawing), (piece) => parse(piece, { isReplay: true }))
    void feeder.run(() => {
      restoreRemainder(emulator, from.remainder)
      titles.current = from.title
      marks.workingDirectory = from.workingDirectory
      marks.state = from.shellState
      older.exist = from.hasOlderLines
      isDrawn = true
    })
  }

  const reading = createReading(emulator, { palette, links }, () => changes)

  return {
    get size() {
      return emulator.size
    },
    get offset() {
      return taken
    },
    get drawingMs() {
      return drawingMs
    },
    feed(bytes, options = {}) {
      fed += bytes.length
      return feeder.feed(bytes, (piece) => {
        const began = cpuMs()
        taken += piece.length
        parse(piece, options)
        drawingMs += cpuMs() - began
      })
    },
    skipTo(next) {
      if (next <= fed) return
      fed = next
      void feeder.run(() => {
        emulator.interrupt()
        taken = next
      })
    },
    resize(next) {
      void feeder.run(() => {
        changes++
        emulator.resize(next)
        older.note()
      })
    },
    settled: () => feeder.run(() => {}),
    flush: () => feeder.flush(),

    ...reading,
    get title() {
      return titles.current
    },
    get workingDirectory() {
      return marks.workingDirectory
    },
    get shellState() {
      return marks.state
    },
    get modes() {
      return modesOf(emulator.internals)
    },
    get scrollbackLength() {
      return emulator.internals.buffers.normal.ybase
    },
    get hasOlderLines() {
      return older.exist
    },
    dropScrollback(count) {
      changes++
      emulator.dropLines(count)
    },
    colours: palette,

    snapshot() {
      const drawing = isDrawn ? drawEmulator({ emulator, links, titles, palette }) : undefined
      if (!drawing) return undefined
      const { workingDirectory, state } = marks
      return {
        format: snapshotFormat,
        offset: taken,
        size: emulator.size,
        drawing: drawing.sequences,
        remainder: drawing.remainder,
        title: titles.current,
        hasOlderLines: older.exist,
        ...(workingDirectory !== undefined && { workingDirectory }),
        ...(state !== undefined && { shellState: state }),
      }
    },
    [Symbol.dispose]() {
      feeder[Symbol.dispose]()
      emulator[Symbol.dispose]()
    },
  }
}
