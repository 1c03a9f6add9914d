/**
 * Draws the lines of a buffer on an empty buffer, from the top, so that every cell and all wrapping come out the same.
 * No sequence wraps a line whose first cell is empty, or that has no line above it; these cases need a trick.
 */
import type { CellAttributes } from './cells.ts'
import {
  columnsTaken,
  endOfContent,
  hasBackgroundOnly,
  attributesAt,
  hasSameAttributes,
  defaultAttributes,
  textAt,
} from './cells.ts'
import { isJoining, joinState } from './character-width.ts'
import type { EmulatorBuffer, EmulatorLine } from './internals.ts'
import type { Pen } from './pen.ts'

export function drawLines(pen: Pen, { lines }: EmulatorBuffer, cols: number, rows: number): void {
  if (lines.get(0)!.isWrapped) beginWrapped(pen, cols, rows)
  for (let index = 0; index < lines.length && !pen.isFull; index++) {
    const line = lines.get(index)!
    const isFull = drawLine(pen, line, cols) === cols
    // The list is a ring: an index past the end would return the first line.
    const below = index + 1 < lines.length ? lines.get(index + 1) : undefined
    if (below?.isWrapped) wrap(pen, line, cols, isFull)
    // New lines get the background colour of the pen.
    pen.setAttributes(defaultAttributes)
    if (below) pen.put(below.isWrapped ? '\r' : '\r\n')
  }
}

export function toColumn(column: number): string {
  return `\x1b[${column + 1}G`
}

/** Wraps from a line above, then deletes that line. */
function beginWrapped(pen: Pen, cols: number, rows: number): void {
  pen.put(`${toColumn(cols - 1)}xx${rows > 1 ? '\x1b[S' : '\x1b[3J'}\x1b[H\x1b[X`)
}

/** Continues on the next line, as if the text were longer than the line. */
function wrap(pen: Pen, line: EmulatorLine, cols: number, isFull: boolean): void {
  if (isFull) {
    pen.print('x', defaultAttributes)
  } else {
    // A wide character does not fit here: the emulator blanks the cell, with these attributes, and wraps.
    pen.put(toColumn(cols - 1))
    pen.print(wideCharacter, attributesAt(line, cols - 1))
  }
  pen.setAttributes(defaultAttributes)
  pen.put(`\r\x1b[${cols}X`)
}

const wideCharacter = '\u3042'

/** Returns the column of the cursor after the line. */
function drawLine(pen: Pen, line: EmulatorLine, cols: number): number {
  let at = 0
  let state = 0
  for (const { column, width, attributes, kind, texts } of stretchesOf(line, cols)) {
    if (kind === 'erased' && isPlain(attributes)) continue
    if (at !== column) {
      pen.put(`\x1b[${column - at}C`)
      state = 0
    }
    at = column
    if (pen.setAttributes(attributes)) state = 0
    if (kind === 'erased') {
      pen.put(`\x1b[${width}X`)
      state = 0
      continue
    }
    for (const text of texts) {
      if (isJoining(text, state)) {
        // An empty sequence separates characters that were not printed together.
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

/** Neighbouring cells with the same attributes and kind. */
interface Stretch {
  readonly column: number
  readonly attributes: CellAttributes
  readonly kind: 'printed' | 'erased'
  readonly texts: string[]
  width: number
}

function stretchesOf(line: EmulatorLine, cols: number): readonly Stretch[] {
  const stretches: Stretch[] = []
  const end = endOfContent(line, cols)
  let last: Stretch | undefined
  for (let column = 0; column < end;) {
    const width = columnsTaken(line, column, cols)
    const text = textAt(line, column, width)
    const attributes: CellAttributes =
      last && hasSameAttributes(line, last.column, column) ? last.attributes : attributesAt(line, column)
    const kind = text === '' && hasBackgroundOnly(attributes) ? 'erased' : 'printed'
    if (last?.attributes !== attributes || last.kind !== kind) {
      last = { column, attributes, kind, texts: [], width: 0 }
      stretches.push(last)
    }
    // An empty cell with text attributes can only be drawn as a space, which looks the same; see `oddCellsOf`.
    last.texts.push(text || ' ')
    last.width += width
    column += width
  }
  return stretches
}

function isPlain({ foreground, background }: CellAttributes): boolean {
  return foreground === 0 && background === 0
}
