/** Rows as columns of text, wide enough for what they hold. The first row may be a header; it is treated alike. */
import { styleText } from 'node:util'
import type { Display } from './command.ts'
import { cutToWidth, widthOf } from './text-width.ts'

export type Cell = string | StyledCell

export interface StyledCell {
  readonly text: string
  readonly style: Parameters<typeof styleText>[0]
}

export interface TableOptions {
  readonly hasColours?: boolean
  /** The last column is cut so that no line is longer. */
  readonly maxWidth?: number
}

/** As it looks best where it is shown; in a pipe, plain and whole. */
export function fitTo(display: Display | undefined): TableOptions {
  return display ? { hasColours: display.hasColours, maxWidth: display.columns } : {}
}

export function renderTable(rows: readonly (readonly Cell[])[], options: TableOptions = {}): string {
  const { hasColours = false, maxWidth = Infinity } = options
  const columns = Math.max(0, ...rows.map((cells) => cells.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => widthOf(textOf(cells[column])))),
  )
  const lastAt = widths.slice(0, -1).reduce((sum, width) => sum + width + gap.length, 0)

  function render(cell: Cell, column: number): string {
    const isLast = column === columns - 1
    // A sliver of the last column tells nothing; rather let the line wrap.
    const text = isLast && maxWidth - lastAt >= 8 ? cutToWidth(textOf(cell), maxWidth - lastAt) : textOf(cell)
    const padding = isLast ? '' : ' '.repeat(widths[column]! - widthOf(text))
    return (hasColours && typeof cell !== 'string' ? styled(cell.style, text) : text) + padding
  }

  return rows.map((cells) => cells.map(render).join(gap).trimEnd()).join('\n')
}

const gap = '  '

function textOf(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '')
}

/** Whether there are colours was decided before: the stream it would look at may be another one. */
function styled(style: StyledCell['style'], text: string): string {
  return styleText(style, text, { validateStream: false })
}
