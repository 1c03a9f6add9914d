/** A Markdown table, padded as the formatter of this project expects: text to the left, numbers to the right. */
export function markdownTable(cells: readonly (readonly string[])[], textColumns: number): readonly string[] {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const isText = (column: number) => column < textColumns
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  const pad = (cell: string, column: number) =>
    isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  const [head = '', ...body] = cells.map((row) => line(row.map(pad)))
  const rule = widths.map((width, column) => (isText(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [head, line(rule), ...body]
}
