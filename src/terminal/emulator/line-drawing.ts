/**
 * Drawing the lines of a buffer on an empty one, from its top, so that every cell and the wrapping come out the same.
 * A line that is wrapped though nothing stands in its first cell, or though there is none above it, needs an artifice,
 * since no sequence says it.
 */
import type { Ink } from './cells.ts'
import { colour, columnsTaken, endOfInk, inkAt, isSameInk, plainInk, textAt } from './cells.ts'
import { isJoining, joinState } from './character-width.ts'
import type { EmulatorBuffer, EmulatorLine } from './internals.ts'
import type { Pen } from './pen.ts'

export function drawLines(pen: Pen, { lines }: EmulatorBuffer, cols: number, rows: number): void {
  if (lines.get(0)!.isWrapped) beginWrapped(pen, cols, rows)
  for (let index = 0; index < lines.length; index++) {
    const line = lines.get(index)!
    drawLine(pen, line, cols)
    // The list is a ring: behind its end comes its beginning.
    const below = index + 1 < lines.length ? lines.get(index + 1) : undefined
    if (below?.isWrapped) wrap(pen, line, cols)
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
function wrap(pen: Pen, line: EmulatorLine, cols: number): void {
  if (textAt(line, cols - 1, 1) === '' && textAt(line, cols - 2, 2) === '') {
    // A wide character has no room here: the emulator blanks the cell, with this ink, and wraps.
    pen.put(toColumn(cols - 1))
    pen.print(wideCharacter, inkAt(line, cols - 1))
  } else {
    pen.print('x', plainInk)
  }
  pen.take(plainInk)
  pen.put(`\r\x1b[${cols}X`)
}

const wideCharacter = '\u3042'

function drawLine(pen: Pen, line: EmulatorLine, cols: number): void {
  const stretches = stretchesOf(line, cols)
  for (const { column, kind } of stretches) if (kind === 'left behind') leaveBehind(pen, line, column)
  /** Where the cursor is. */
  let at = 0
  let state = 0
  for (const { column, width, ink, kind, texts } of stretches) {
    if (kind === 'left behind' || (kind === 'erased' && isPlain(ink))) continue
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
}

/** Neighbouring cells of one ink and kind. */
interface Stretch {
  readonly column: number
  readonly ink: Ink
  readonly kind: 'printed' | 'erased' | 'left behind'
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
    const kind = text !== '' ? 'printed' : kindOfBlank(line, column, cols, ink)
    if (last?.ink !== ink || last.kind !== kind) {
      last = { column, ink, kind, texts: [], width: 0 }
      stretches.push(last)
    }
    // Blanks in the ink of text that stand together can only be spaces; they look the same.
    last.texts.push(text || ' ')
    last.width += width
    column += width
  }
  return stretches
}

function kindOfBlank(line: EmulatorLine, column: number, cols: number, ink: Ink): Stretch['kind'] {
  if (hasGroundOnly(ink)) return 'erased'
  return isLeftBehind(line, column, cols) ? 'left behind' : 'printed'
}

/** A blank in the ink of text: one half of a wide character whose other half was overwritten. */
function isLeftBehind(line: EmulatorLine, column: number, cols: number): boolean {
  return (
    isInkedBlank(line, column, cols) && !isInkedBlank(line, column - 1, cols) && !isInkedBlank(line, column + 1, cols)
  )
}

function isInkedBlank(line: EmulatorLine, column: number, cols: number): boolean {
  if (column < 0 || column >= cols) return false
  const isSecondHalf = column > 0 && columnsTaken(line, column - 1, cols) === 2
  if (isSecondHalf) return false
  return textAt(line, column, columnsTaken(line, column, cols)) === '' && !hasGroundOnly(inkAt(line, column))
}

/** By the same accident, on a line where nothing else is drawn yet. */
function leaveBehind(pen: Pen, line: EmulatorLine, column: number): void {
  const first = Math.max(0, column - 1)
  const overwritten = column === 0 ? 1 : first
  pen.put(toColumn(first))
  pen.print(wideCharacter, inkAt(line, column))
  pen.put(`${toColumn(overwritten)}x`)
  pen.take(plainInk)
  pen.put(`${toColumn(overwritten)}\x1b[X\r`)
}

function isPlain({ foreground, background }: Ink): boolean {
  return foreground === 0 && background === 0
}

/** Of such ink is what was erased. */
function hasGroundOnly({ foreground, background }: Ink): boolean {
  return foreground === 0 && (background & ~(colour.mask | colour.value)) === 0
}
