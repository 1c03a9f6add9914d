/** Numbers as the table shows them. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** `1.8 / 4.2 ms`: the median, and what nineteen of twenty stay below. */
export function latency(values: readonly number[]): string {
  return `${shown(median(values))} / ${shown(percentile(values, 0.95))} ms`
}

export function shown(value: number): string {
  if (Number.isNaN(value)) return '–'
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

export interface Row {
  readonly what: string
  readonly signalbox: string
  readonly tmux?: string
  readonly budget?: string
}

export function toTable(rows: readonly Row[]): string {
  const cells = [
    ['', 'Signalbox', 'tmux, control mode', 'budget'],
    ...rows.map(({ what, signalbox, tmux = '', budget = '' }) => [what, signalbox, tmux, budget]),
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  const [head, ...body] = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  )
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}
