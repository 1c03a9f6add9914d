/** Reading lines of the emulator: their text, and neighbouring cells of one look. */
import type { Ink } from './emulator/cells.ts'
import {
  cellsOf,
  colour,
  columnsTaken,
  endOfPrint,
  endOfText,
  inBackground,
  inForeground,
  inkAt,
  isSameInk,
  textAt,
  textOf,
} from './emulator/cells.ts'
import type { EmulatorLine } from './emulator/internals.ts'
import type { Links } from './emulator/links.ts'
import type { Palette } from './emulator/palette.ts'
import type { Cell, Look, Run, ScreenRow } from './screen.ts'

export interface Colouring {
  readonly palette: Palette
  readonly links: Links
}

/** `line` is asked for at each reading, so that it can refuse once the screen has moved on. */
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
  const look = lookOf(inkAt(line, column), colouring)
  const isSecondHalf = column > 0 && columnsTaken(line, column - 1, columns) === 2
  if (isSecondHalf) return { character: '', codepoint: 0, width: 0, look }
  const width = columnsTaken(line, column, columns)
  const character = textAt(line, column, width) || ' '
  return { character, codepoint: character.codePointAt(0)!, width, look }
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
  const runs: { text: string; column: number; width: number; look: Look }[] = []
  let previous = 0
  for (const { column, width, text } of cellsOf(line, columns)) {
    const last = runs.at(-1)
    if (last && isSameInk(line, previous, column)) {
      last.text += text || ' '
      last.width += width
    } else {
      runs.push({ text: text || ' ', column, width, look: lookOf(inkAt(line, column), colouring) })
    }
    previous = column
  }
  return withoutBlankEnd(mergeEqual(runs))
}

/** Cells may be kept differently and look the same. */
function mergeEqual(runs: readonly Run[]): Run[] {
  const merged: Run[] = []
  for (const run of runs) {
    const last = merged.at(-1)
    if (last && isSameLook(last.look, run.look)) {
      merged[merged.length - 1] = { ...last, text: last.text + run.text, width: last.width + run.width }
    } else {
      merged.push(run)
    }
  }
  return merged
}

function withoutBlankEnd(runs: Run[]): readonly Run[] {
  const last = runs.at(-1)
  if (!last || !isSameLook(last.look, plainLook)) return runs
  const text = last.text.replace(/ +$/, '')
  const width = last.width - (last.text.length - text.length)
  return text === '' ? runs.slice(0, -1) : [...runs.slice(0, -1), { ...last, text, width }]
}

function lookOf(ink: Ink, { palette, links }: Colouring): Look {
  const { foreground, background, linkId } = ink
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

const plainLook: Look = {
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

const lookNames = Object.keys(plainLook) as (keyof Look)[]

function isSameLook(one: Look, other: Look): boolean {
  return one.link === other.link && lookNames.every((name) => one[name] === other[name])
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
