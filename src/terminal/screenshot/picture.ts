/** The data that the worker needs to draw a screen. */
import type { Size } from '../pty/size.ts'
import type { Cursor } from '../screen/screen-modes.ts'
import type { CellStyle, ScreenRow } from '../screen/screen-rows.ts'
import type { Screen } from '../screen/screen.ts'

export interface Picture {
  readonly size: Size
  readonly rows: readonly (readonly Patch[])[]
  /** `undefined` while it is hidden. */
  readonly cursor: Pick<Cursor, 'row' | 'column' | 'shape'> | undefined
  readonly colours: Screen['colours']
}

/** Neighbouring cells with the same style. */
export interface Patch {
  readonly column: number
  readonly width: number
  readonly style: CellStyle
  /** Their characters, without blanks. */
  readonly glyphs: readonly Glyph[]
}

export interface Glyph {
  readonly text: string
  readonly column: number
  readonly width: number
}

/** In pixels. */
export const cell = { width: 9, height: 20 } as const
export const margin = 8

/** In pixels. */
export function pictureSize({ cols, rows }: Size): { readonly width: number; readonly height: number } {
  return { width: cols * cell.width + 2 * margin, height: rows * cell.height + 2 * margin }
}

export function describePicture(screen: Screen): Picture {
  const { row, column, shape, isVisible } = screen.cursor()
  const { foreground, background, cursor } = screen.colours
  return {
    size: screen.size,
    rows: screen.rows().map(patchesOf),
    cursor: isVisible ? { row, column, shape } : undefined,
    colours: { foreground, background, cursor },
  }
}

function patchesOf(row: ScreenRow): readonly Patch[] {
  const glyphs = glyphsOf(row)
  return row.runs().map(({ column, width, style }) => {
    const isInside = (glyph: Glyph) => glyph.column >= column && glyph.column < column + width
    return { column, width, style, glyphs: glyphs.filter(isInside) }
  })
}

/** A character and its combining marks share a column. */
function glyphsOf(row: ScreenRow): readonly Glyph[] {
  const { text } = row
  const glyphs: Glyph[] = []
  for (let start = 0, end = 1; start < text.length; start = end++) {
    const column = row.columnOf(start)
    while (end < text.length && row.columnOf(end) === column) end++
    const glyph = { text: text.slice(start, end), column, width: row.columnOf(end) - column }
    if (glyph.text !== ' ') glyphs.push(glyph)
  }
  return glyphs
}
