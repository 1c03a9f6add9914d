/** The screen of a terminal: an emulator that gets every byte of output, and methods to read it. */
import { cpuMs } from '../../base/cpu-ms.ts'
import { type Remainder, drawEmulator, restoreRemainder } from '../emulator/drawing.ts'
import { createEmulator } from '../emulator/emulator.ts'
import { followLinks } from '../emulator/links.ts'
import { followOlderLines } from '../emulator/older-lines.ts'
import { followPalette } from '../emulator/palette.ts'
import { answerQuestions } from '../emulator/questions.ts'
import { followShellMarks } from '../emulator/shell-marks.ts'
import { followTitles } from '../emulator/titles.ts'
import type { Size } from '../pty/size.ts'
import { createDrawingRate } from './drawing-rate.ts'
import { createFeeder } from './feeder.ts'
import { gapMark } from './left-out.ts'
import { pieceCutter } from './pieces.ts'
import type { Modes } from './screen-modes.ts'
import { modesOf } from './screen-modes.ts'
import type { ScreenReading } from './screen-reading.ts'
import { createReading } from './screen-reading.ts'

export interface Screen extends ScreenReading, Disposable {
  readonly size: Size
  /** The offset of the next byte that is not on the screen yet. */
  readonly offset: number
  /** The CPU time for drawing all bytes so far. */
  readonly drawingMs: number
  /** The CPU time for the last bytes, for each of them. */
  readonly msPerByte: number
  /** Queues bytes. Resolves when they are on the screen; await it only to slow down the source. */
  feed(bytes: Buffer, options?: FeedOptions): Promise<void>
  /** The same for bytes that are read when the screen is ready for them, until there are none. */
  feedFrom(read: () => { readonly offset: number; readonly bytes: Buffer }): Promise<void>
  /** The bytes between the last one fed and this offset are lost. */
  skipTo(offset: number): void
  /** Leaves out all bytes before this offset that are not on the screen yet, and says so there. Feed from it next. */
  leaveOutTo(offset: number): Promise<void>
  /** Takes effect after all bytes that were fed before. */
  resize(size: Size): void
  /** Resolves when everything that was fed is on the screen. */
  settled(): Promise<void>
  /** Puts everything that was fed on the screen now, however long that takes. */
  flush(): void

  readonly scrollbackLength: number
  /** There were more lines than memory keeps. The journal has them. */
  readonly hasOlderLines: boolean
  /** Drops the oldest lines that have scrolled off. */
  dropScrollback(count: number): void
  readonly title: string
  /** From OSC 7, if the program says so. */
  readonly workingDirectory: string | undefined
  /** From OSC 133: at its prompt, or running a command; `undefined` if the shell does not mark its prompts. */
  readonly shellState: 'prompt' | 'running' | undefined
  readonly modes: Modes

  /** The colours of the terminal itself, `#rrggbb`; the program may have changed them. */
  readonly colours: { readonly foreground: string; readonly background: string; readonly cursor: string }

  /**
   * Everything needed to continue from `offset`. `undefined` inside a sequence or character and in a few rare states:
   * try again after more output.
   */
  snapshot(): Snapshot | undefined
}

const noBytes = Buffer.alloc(0)

export interface FeedOptions {
  /** Replayed bytes: their questions were answered when they were new. */
  readonly isReplay?: boolean
}

export interface Snapshot {
  /** A snapshot of another format cannot be used: the journal is replayed instead. */
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

/** Raise it when a change of the emulator or its drawing makes older snapshots wrong. */
export const snapshotFormat = 3

export interface ScreenOptions {
  readonly size: Size
  /** How many lines above the visible ones are kept in memory. */
  readonly scrollbackLines: number
  /** The emulator's answers to the program's questions up to `offset` (cursor position, device attributes, colours). */
  readonly onAnswer: (bytes: Buffer, offset: number) => void
  /** The emulator failed on some bytes, which is a bug. The screen continues after them. */
  readonly onFault?: (error: Error) => void
  /** The program has cleared the scrollback. */
  readonly onScrollbackCleared?: () => void
  /** The journal offset of the first byte. */
  readonly offset?: number
  /** Continues from a snapshot, with its size and offset. Drawn once `settled`. */
  readonly from?: Snapshot
}

export function createScreen(options: ScreenOptions): Screen {
  const { scrollbackLines, onAnswer, onFault, offset, from } = options
  /** The one that was requested last. */
  let size = from?.size ?? options.size
  let isMuted = false
  const emulator = createEmulator({
    size,
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
  const rate = createDrawingRate()
  let cut = pieceCutter(emulator.size)
  let taken = from?.offset ?? offset ?? 0
  /** The offset of the next byte to be fed. */
  let fed = taken
  /** Counts the changes, so that a row can tell when it is out of date. */
  let changes = 0

  function parse(piece: Buffer, options: FeedOptions): void {
    changes++
    isMuted = options.isReplay === true
    emulator.parse(piece)
    older.update()
  }

  function mayInsert(): boolean {
    const { coreService, _inputHandler: handler } = emulator.internals
    return coreService.modes.insertMode || handler._parser.currentState !== 0
  }

  /** Returns its length. */
  function drawPiece(bytes: Buffer, start: number, options: FeedOptions): number {
    const began = cpuMs()
    const end = cut(bytes, start, mayInsert())
    taken += end - start
    parse(bytes.subarray(start, end), options)
    rate.add(end - start, cpuMs() - began)
    return end - start
  }

  function jumpTo(offset: number): void {
    emulator.interrupt()
    taken = offset
  }

  function resizeTo(next: Size): void {
    changes++
    emulator.resize(next)
    cut = pieceCutter(emulator.size)
    older.update()
  }

  /** Unlike output, it is never left out. */
  function draw(drawing: Buffer): void {
    for (let start = 0; start < drawing.length;) {
      const end = cut(drawing, start)
      const piece = drawing.subarray(start, end)
      void feeder.run(() => parse(piece, { isReplay: true }))
      start = end
    }
  }

  let isDrawn = true
  if (from) {
    isDrawn = false
    draw(Buffer.from(from.drawing))
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
      return rate.totalMs
    },
    get msPerByte() {
      return rate.msPerByte
    },
    feed(bytes, options = {}) {
      fed += bytes.length
      let at = 0
      return feeder.feed(() => {
        at += drawPiece(bytes, at, options)
        return at >= bytes.length
      })
    },
    feedFrom(read) {
      let bytes: Buffer = noBytes
      let at = 0
      return feeder.feed(() => {
        if (at >= bytes.length) {
          const next = read()
          ;({ bytes } = next)
          at = 0
          if (next.offset > taken) jumpTo(next.offset)
          fed = next.offset + bytes.length
        }
        at += drawPiece(bytes, at, {})
        return bytes.length === 0
      })
    },
    skipTo(next) {
      if (next <= fed) return
      fed = next
      void feeder.run(() => jumpTo(next))
    },
    leaveOutTo(next) {
      feeder.drop()
      fed = next
      return feeder.run(() => {
        emulator.interrupt()
        parse(gapMark(modesOf(emulator.internals).alternateScreen), { isReplay: true })
        older.exist = true
        taken = next
        if (size.cols !== emulator.size.cols || size.rows !== emulator.size.rows) resizeTo(size)
      })
    },
    resize(next) {
      size = next
      void feeder.feed(() => {
        const began = cpuMs()
        resizeTo(next)
        rate.add(0, cpuMs() - began)
        return true
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
