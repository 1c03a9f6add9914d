/** How the emulator packs a cell into three numbers, and how to iterate over the cells of a line. */
import type { EmulatorLine, ExtendedAttributes } from './internals.ts'

export const colour = {
  mask: 0x3000000,
  sixteen: 0x1000000,
  indexed: 0x2000000,
  rgb: 0x3000000,
  value: 0xffffff,
} as const

export const inForeground = {
  reverse: 0x4000000,
  bold: 0x8000000,
  underline: 0x10000000,
  blink: 0x20000000,
  invisible: 0x40000000,
  struck: 0x80000000,
} as const

export const inBackground = {
  italic: 0x4000000,
  dim: 0x8000000,
  extended: 0x10000000,
  protected: 0x20000000,
  overline: 0x40000000,
} as const

/** The attributes of a cell as the emulator stores them. */
export interface CellAttributes {
  readonly foreground: number
  readonly background: number
  /** Style and colour of the underline. */
  readonly extended: number
  readonly linkId: number
}

export const defaultAttributes: CellAttributes = { foreground: 0, background: 0, extended: 0, linkId: 0 }

export interface CellView {
  readonly column: number
  readonly width: 1 | 2
  /** Empty if nothing was ever written, or if it was erased. */
  readonly text: string
}

const cellSize = 3
const codepointMask = 0x1fffff
const isCombined = 0x200000
const widthShift = 22

/**
 * The cells from left to right; a wide character is one cell of two columns. Halves of wide characters, which insertion
 * and a narrower window leave behind, count as blank, since no terminal shows them.
 */
export function* cellsOf(line: EmulatorLine, columns: number): Generator<CellView> {
  for (let column = 0; column < columns;) {
    const width = columnsTaken(line, column, columns)
    yield { column, width, text: textAt(line, column, width) }
    column += width
  }
}

/** One more than the last column that is not blank. */
export function endOfText(line: EmulatorLine, columns: number): number {
  return endOf(line, columns, 0x20)
}

/** One more than the last column in which something was printed, even a blank. */
export function endOfPrint(line: EmulatorLine, columns: number): number {
  return endOf(line, columns, 0)
}

function endOf(line: EmulatorLine, columns: number, blank: number): number {
  for (let column = columns - 1; column >= 0; column--) {
    const content = line._data[column * cellSize]! & (codepointMask | isCombined)
    if (content === 0 || content === blank) continue
    const taken = columnsTaken(line, column, columns)
    if (textAt(line, column, taken) !== '') return column + taken
  }
  return 0
}

/** One more than the last column that was ever changed. */
export function endOfContent(line: EmulatorLine, columns: number): number {
  for (let column = columns - 1; column >= 0; column--) {
    const at = column * cellSize
    const isBlank = (line._data[at]! & (codepointMask | isCombined)) === 0 && widthAt(line, column) === 1
    if (!isBlank || line._data[at + 1] !== 0 || line._data[at + 2] !== 0) return column + 1
  }
  return 0
}

/** The text up to `end`, with blanks for empty cells. */
export function textOf(line: EmulatorLine, end: number, columns: number): string {
  let text = ''
  for (let column = 0; column < end;) {
    const width = columnsTaken(line, column, columns)
    text += textAt(line, column, width) || ' '
    column += width
  }
  return text
}

export function columnsTaken(line: EmulatorLine, column: number, columns: number): 1 | 2 {
  return widthAt(line, column) === 2 && column + 1 < columns && widthAt(line, column + 1) === 0 ? 2 : 1
}

export function textAt(line: EmulatorLine, column: number, taken: 1 | 2): string {
  const content = line._data[column * cellSize]!
  if (widthAt(line, column) !== taken) return ''
  if (content & isCombined) return line._combined[column] ?? ''
  const codepoint = content & codepointMask
  return codepoint === 0 ? '' : String.fromCodePoint(codepoint)
}

export function attributesAt(line: EmulatorLine, column: number): CellAttributes {
  const background = line._data[column * cellSize + 2]!
  const more = background & inBackground.extended ? line._extendedAttrs[column] : undefined
  return {
    foreground: line._data[column * cellSize + 1]!,
    background,
    extended: more?._ext ?? 0,
    linkId: more?.urlId ?? 0,
  }
}

export function hasSameAttributes(line: EmulatorLine, column: number, other: number): boolean {
  const a = column * cellSize
  const b = other * cellSize
  if (line._data[a + 1] !== line._data[b + 1] || line._data[a + 2] !== line._data[b + 2]) return false
  if (!(line._data[a + 2]! & inBackground.extended)) return true
  return isSameExtended(line._extendedAttrs[column], line._extendedAttrs[other])
}

function isSameExtended(one: ExtendedAttributes | undefined, other: ExtendedAttributes | undefined): boolean {
  return one === other || (one?._ext === other?._ext && one?.urlId === other?.urlId)
}

export function widthAt(line: EmulatorLine, column: number): number {
  return (line._data[column * cellSize]! >>> widthShift) & 3
}

/** Erased cells have such attributes. */
export function hasBackgroundOnly({ foreground, background }: CellAttributes): boolean {
  return foreground === 0 && (background & ~(colour.mask | colour.value)) === 0
}
