/** The table in docs/benchmarks.md. */
import { machine, median } from '../figures.ts'
import { markdownTable } from '../markdown-table.ts'
import type { Contender } from './contenders.ts'
import type { Figures } from './measure.ts'

export interface Row {
  readonly contender: Contender
  readonly connectionCount: number
  /** One per round. The baseline of the same round has the same index in its own row. */
  readonly rounds: readonly Figures[]
}

const heading = ['server', 'revision', 'connections', 'CPU µs per call', '× raw', 'calls/s', 'p50 ms', 'p99 ms']
/** The first columns are text, the others are numbers. */
const textColumns = 2

export function resultsTable(rows: readonly Row[], { rounds, calls }: { rounds: number; calls: number }): string {
  const cells = rows.map((row) => [
    row.contender.name,
    row.contender.era === 'legacy' ? '2025-11-25' : '2026-07-28',
    String(row.connectionCount),
    medianOf(row, 'cpuMicrosPerCall').toFixed(0),
    row.contender.isBaseline ? '1.0' : timesBaseline(row, rows).toFixed(1),
    medianOf(row, 'callsPerSecond').toFixed(0),
    medianOf(row, 'p50Ms').toFixed(2),
    medianOf(row, 'p99Ms').toFixed(2),
  ])
  return [
    ...markdownTable([heading, ...cells], textColumns),
    '',
    `${machine()}. Medians of ${rounds} interleaved rounds of ${calls} calls of \`hub_status\`;`,
    'the client runs on the same machine.',
  ].join('\n')
}

/** Compares each round with the same round of the baseline, so that other load on the machine cancels out. */
function timesBaseline(row: Row, rows: readonly Row[]): number {
  const baseline = rows.find(
    ({ contender, connectionCount }) =>
      contender.isBaseline && contender.era === row.contender.era && connectionCount === row.connectionCount,
  )
  const ratios = row.rounds.map((figures, round) => {
    return figures.cpuMicrosPerCall / (baseline?.rounds[round]?.cpuMicrosPerCall ?? Number.NaN)
  })
  return median(ratios)
}

function medianOf({ rounds }: Row, figure: keyof Figures): number {
  return median(rounds.map((figures) => figures[figure]))
}
