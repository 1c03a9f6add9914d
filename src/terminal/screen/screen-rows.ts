/** Reads lines of the emulator: their text, and runs of cells with the same style. */
import type { CellAttributes } from '../emulator/cells.ts'
import {
  cellsOf,
  colour,
  columnsTaken,
  endOfPrint,
  endOfText,
  inBackground,
  inForeground,
  attributesAt,
  hasSameAttributes,
  textAt,
  textOf,
} from '../emulator/cells.ts'
import type { EmulatorLine } from '../emulator/internals.ts'
import type { Links } from '../emulator/links.ts'
import type { Palette } from '../emulator/palette.ts'

export interface TextRow {
  /** Without trailing blanks. */
  readonly text: string
  /** With trailing blanks that were printed. They count if the line continues in the next row. */
  readonly printedText: string
  /** The row continues the row above: both are one line of the program. */
  readonly isWrapped: boolean
  /** The column of `printedText[index]`; for the length of the text, the column after it. */
  columnOf(index: number): number
}

/** A view that must be read before more bytes are fed. After that it throws, since its line has changed. */
export interface ScreenRow extends TextRow {
  /** Neighbouring cells with the same style. A wide character takes two columns. */
  runs(): readonly Run[]
}

export interface Run {
  readonly text: string
  readonly column: number
  readonly width: number
  readonly style: CellStyle
}

export interface CellStyle {
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
  /** A blank for an empty cell, and empty for the second column of a wide character. */
  readonly character: string
  readonly codepoint: number
  readonly width: 0 | 1 | 2
  readonly style: CellStyle
}

export interface Colouring {
  readonly palette: Palette
  readonly links: Links
}

/** `line` is called at each read, so that it can refuse once the screen has changed. */
export function createRow(line: () => EmulatorLine, columns: number, colouring: Colouring): ScreenRow {
  let text: string | undefined
  let positions: Uint16Array | undefined
  return {
    get text() {
      return (text ??= textOf(line(), endOfText(line(), columns), columns))
    },
    get printedText() {
      return textOf(line(), endOfPrint(line(), columns), columns)
    },
    get isWrapped() {
      return line().isWrapped
    },
    runs: () => runsOf(line(), columns, colouring),
    columnOf(index) {
      positions ??= positionsOf(line(), columns)
      return positions[Math.min(Math.max(index, 0), positions.length - 1)]!
    },
  }
}

export function createCell(line: EmulatorLine, column: number, columns: number, colouring: Colouring): Cell {
  const style = styleOf(attributesAt(line, column), colouring)
  const isSecondHalf = column > 0 && columnsTaken(line, column - 1, columns) === 2
  if (isSecondHalf) return { character: '', codepoint: 0, width: 0, style }
  const width = columnsTaken(line, column, columns)
  const character = textAt(line, column, width) || ' '
  return { character, codepoint: character.codePointAt(0)!, width, style }
}

/** The column of each index of the text, and of its end. */
function positionsOf(line: EmulatorLine, columns: number): Uint16Array {
  const positions: number[] = []
  for (const { column, width, text } of cellsOf(line, columns)) {
    for (let unit = 0; unit < Math.max(1, text.length); unit++) positions.push(column)
    if (column + width >= columns) positions.push(columns)
  }
  return Uint16Array.from(positions)
}

function runsOf(line: EmulatorLine, columns: number, colouring: Colouring): readonly Run[] {
  const runs: { text: string; column: number; width: number; style: CellStyle }[] = []
  let previous = 0
  for (const { column, width, text } of cellsOf(line, columns)) {
    const last = runs.at(-1)
    if (last && hasSameAttributes(line, previous, column)) {
      last.text += text || ' '
      last.width += width
    } else {
      runs.push({ text: text || ' ', column, width, style: styleOf(attributesAt(line, column), colouring) })
    }
    previous = column
  }
  return withoutBlankEnd(mergeEqual(runs))
}

/** Cells may be stored differently and still have the same style. */
function mergeEqual(runs: readonly Run[]): Run[] {
  const merged: Run[] = []
  for (const run of runs) {
    const last = merged.at(-1)
    if (last && isSameStyle(last.style, run.style)) {
      merged[merged.length - 1] = { ...last, text: last.text + run.text, width: last.width + run.width }
    } else {
      merged.push(run)
    }
  }
  return merged
}

function withoutBlankEnd(runs: Run[]): readonly Run[] {
  const last = runs.at(-1)
  if (!last || !isSameStyle(last.style, defaultStyle)) return runs
  const text = last.text.replace(/ +$/, '')
  const width = last.width - (last.text.length - text.length)
  return text === '' ? runs.slice(0, -1) : [...runs.slice(0, -1), { ...last, text, width }]
}

function styleOf(attributes: CellAttributes, { palette, links }: Colouring): CellStyle {
  const { foreground, background, linkId } = attributes
  const link = links.get(linkId)?.url
  return {
    foreground: colourOf(foreground, palette),
    background: colourOf(background, palette),
    bold: (foreground & inForeground.bold) !== 0,
    dim: (background & inBackground.dim) !== 0,
    italic: (background & inBackground.italic) !== 0,
    underline: (foreground & inForeground.underline) !== 0,
    reverse: (foreground & inForeground.reverse) !== 0,
    struck: (foreground & inForeground.struck) !== 0,
    invisible: (foreground & inForeground.invisible) !== 0,
    ...(link !== undefined && { link }),
  }
}

const defaultStyle: CellStyle = {
  foreground: 'default',
  background: 'default',
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  reverse: false,
  struck: false,
  invisible: false,
}

const styleNames = Object.keys(defaultStyle) as (keyof CellStyle)[]

function isSameStyle(one: CellStyle, other: CellStyle): boolean {
  return one.link === other.link && styleNames.every((name) => one[name] === other[name])
}

function colourOf(packed: number, palette: Palette): string {
  switch (packed & colour.mask) {
    case colour.sixteen:
    case colour.indexed:
      return palette.indexed(packed & 0xff)
    case colour.rgb:
      return `#${(packed & colour.value).toString(16).padStart(6, '0')}`
    default:
      return 'default'
  }
}
