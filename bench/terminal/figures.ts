/** Formats numbers for the table. */
import { median, percentile } from '../figures.ts'
import { markdownTable } from '../markdown-table.ts'

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** `1.8 / 4.2 ms`: the median and the 95th percentile. */
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
  const heading = ['', 'Signalbox', 'tmux, control mode', 'budget']
  const cells = rows.map(({ what, signalbox, tmux = '', budget = '' }) => [what, signalbox, tmux, budget])
  return markdownTable([heading, ...cells], heading.length).join('\n')
}
