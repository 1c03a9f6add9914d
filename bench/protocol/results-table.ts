/** The table that the README shows. */
import { machine, median } from '../figures.ts'
import { markdownTable } from '../markdown-table.ts'
import type { Contender } from './contenders.ts'
import type { Figures } from './measure.ts'

export interface Row {
  readonly contender: Contender
  readonly lineCount: number
  /** One per round; the floor of the same round is at the same place in its own row. */
  readonly rounds: readonly Figures[]
}

const heading = ['server', 'revision', 'connections', 'CPU µs per call', '× raw', 'calls/s', 'p50 ms', 'p99 ms']
/** The first columns are words, the others numbers. */
const wordColumns = 2

export function resultsTable(rows: readonly Row[], { rounds, calls }: { rounds: number; calls: number }): string {
  const cells = rows.map((row) => [
    row.contender.name,
    row.contender.era === 'legacy' ? '2025-11-25' : '2026-07-28',
    String(row.lineCount),
    medianOf(row, 'cpuMicrosPerCall').toFixed(0),
    row.contender.isFloor ? '1.0' : timesFloor(row, rows).toFixed(1),
    medianOf(row, 'callsPerSecond').toFixed(0),
    medianOf(row, 'p50Ms').toFixed(2),
    medianOf(row, 'p99Ms').toFixed(2),
  ])
  return [
    ...markdownTable([heading, ...cells], wordColumns),
    '',
    `${machine()}. Medians of ${rounds} interleaved rounds of ${calls} calls of \`hub_status\`;`,
    'the client runs on the same machine.',
  ].join('\n')
}

/** Each round is compared with the floor of its own minute: what else the machine does falls out. */
function timesFloor(row: Row, rows: readonly Row[]): number {
  const floor = rows.find(
    ({ contender, lineCount }) =>
      contender.isFloor && contender.era === row.contender.era && lineCount === row.lineCount,
  )
  const ratios = row.rounds.map((figures, round) => {
    return figures.cpuMicrosPerCall / (floor?.rounds[round]?.cpuMicrosPerCall ?? Number.NaN)
  })
  return median(ratios)
}

function medianOf({ rounds }: Row, figure: keyof Figures): number {
  return median(rounds.map((figures) => figures[figure]))
}
