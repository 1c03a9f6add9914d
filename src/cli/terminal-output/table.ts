/** Renders rows as aligned columns. A header is just the first row. */
import type { Display } from '../command/command.ts'
import { paint, printableLine } from './printable.ts'
import type { Style } from './printable.ts'
import { cutToWidth, widthOf } from './text-width.ts'

export type Cell = string | StyledCell

export interface StyledCell {
  readonly text: string
  readonly style: Style
  /** Wraps rather than being cut. */
  readonly isWhole?: boolean
}

export interface TableOptions {
  readonly hasColours?: boolean
  /** Cuts the last column so that no line is longer. */
  readonly maxWidth?: number
}

/** Colours and width for a terminal. In a pipe, tables are plain and complete. */
export function fitTo(display: Display | undefined): TableOptions {
  return display ? { hasColours: display.hasColours, maxWidth: display.columns } : {}
}

export function renderTable(rows: readonly (readonly Cell[])[], options: TableOptions = {}): string {
  const { hasColours = false, maxWidth = Infinity } = options
  const columns = Math.max(0, ...rows.map((cells) => cells.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => widthOf(textOf(cells[column])))),
  )
  const lastStart = widths.slice(0, -1).reduce((sum, width) => sum + width + gap.length, 0)

  function render(cell: Cell, column: number): string {
    const isLast = column === columns - 1
    // A very narrow last column is useless, so the line may wrap instead.
    const isCut = isLast && maxWidth - lastStart >= 8 && !(typeof cell === 'object' && cell.isWhole)
    const text = isCut ? cutToWidth(textOf(cell), maxWidth - lastStart) : textOf(cell)
    const padding = isLast ? '' : ' '.repeat(widths[column]! - widthOf(text))
    return (hasColours && typeof cell !== 'string' ? paint(cell.style, text) : text) + padding
  }

  return rows.map((cells) => cells.map(render).join(gap).trimEnd()).join('\n')
}

const gap = '  '

function textOf(cell: Cell | undefined): string {
  return printableLine(typeof cell === 'object' ? cell.text : (cell ?? ''))
}
