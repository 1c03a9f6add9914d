/**
 * Drawing the lines of a buffer on an empty one, from its top, so that every cell and the wrapping come out the same.
 * A line that is wrapped though nothing stands in its first cell, or though there is none above it, needs an artifice,
 * since no sequence says it.
 */
import type { Ink } from './cells.ts'
import { columnsTaken, endOfInk, hasGroundOnly, inkAt, isSameInk, plainInk, textAt } from './cells.ts'
import { isJoining, joinState } from './character-width.ts'
import type { EmulatorBuffer, EmulatorLine } from './internals.ts'
import type { Pen } from './pen.ts'

export function drawLines(pen: Pen, { lines }: EmulatorBuffer, cols: number, rows: number): void {
  if (lines.get(0)!.isWrapped) beginWrapped(pen, cols, rows)
  for (let index = 0; index < lines.length; index++) {
    const line = lines.get(index)!
    const isFull = drawLine(pen, line, cols) === cols
    // The list is a ring: behind its end comes its beginning.
    const below = index + 1 < lines.length ? lines.get(index + 1) : undefined
    if (below?.isWrapped) wrap(pen, line, cols, isFull)
    // New lines are filled with the ground of the pen.
    pen.take(plainInk)
    if (below) pen.put(below.isWrapped ? '\r' : '\r\n')
  }
}

export function toColumn(column: number): string {
  return `\x1b[${column + 1}G`
}

/** Wraps from a line above, and then has that line gone. */
function beginWrapped(pen: Pen, cols: number, rows: number): void {
  pen.put(`${toColumn(cols - 1)}xx${rows > 1 ? '\x1b[S' : '\x1b[3J'}\x1b[H\x1b[X`)
}

/** Goes on to the next line as a program does whose text is longer than the line. */
function wrap(pen: Pen, line: EmulatorLine, cols: number, isFull: boolean): void {
  if (isFull) {
    pen.print('x', plainInk)
  } else {
    // A wide character has no room here: the emulator blanks the cell, with this ink, and wraps.
    pen.put(toColumn(cols - 1))
    pen.print(wideCharacter, inkAt(line, cols - 1))
  }
  pen.take(plainInk)
  pen.put(`\r\x1b[${cols}X`)
}

const wideCharacter = '\u3042'

/** Answers where the cursor is then. */
function drawLine(pen: Pen, line: EmulatorLine, cols: number): number {
  let at = 0
  let state = 0
  for (const { column, width, ink, kind, texts } of stretchesOf(line, cols)) {
    if (kind === 'erased' && isPlain(ink)) continue
    if (at !== column) {
      pen.put(`\x1b[${column - at}C`)
      state = 0
    }
    at = column
    if (pen.take(ink)) state = 0
    if (kind === 'erased') {
      pen.put(`\x1b[${width}X`)
      state = 0
      continue
    }
    for (const text of texts) {
      if (isJoining(text, state)) {
        // An empty sequence keeps apart what was not printed in one go.
        pen.put('\x1b\\')
        state = 0
      }
      state = joinState(text, state)
      pen.put(text)
    }
    at += width
  }
  return at
}

/** Neighbouring cells of one ink and kind. */
interface Stretch {
  readonly column: number
  readonly ink: Ink
  readonly kind: 'printed' | 'erased'
  readonly texts: string[]
  width: number
}

function stretchesOf(line: EmulatorLine, cols: number): readonly Stretch[] {
  const stretches: Stretch[] = []
  const end = endOfInk(line, cols)
  let last: Stretch | undefined
  for (let column = 0; column < end;) {
    const width = columnsTaken(line, column, cols)
    const text = textAt(line, column, width)
    const ink: Ink = last && isSameInk(line, last.column, column) ? last.ink : inkAt(line, column)
    const kind = text === '' && hasGroundOnly(ink) ? 'erased' : 'printed'
    if (last?.ink !== ink || last.kind !== kind) {
      last = { column, ink, kind, texts: [], width: 0 }
      stretches.push(last)
    }
    // An empty cell in the ink of text can only be drawn as a space, which looks the same; see `oddCellsOf`.
    last.texts.push(text || ' ')
    last.width += width
    column += width
  }
  return stretches
}

function isPlain({ foreground, background }: Ink): boolean {
  return foreground === 0 && background === 0
}
