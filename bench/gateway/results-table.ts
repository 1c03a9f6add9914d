/** The table in docs/benchmarks.md. */
import { loadavg } from 'node:os'
import { machine, median } from '../figures.ts'
import { markdownTable } from '../markdown-table.ts'
import type { Contender, Contenders } from './contenders.ts'
import { type Figures, warmCalls } from './measure.ts'

export interface Row {
  readonly contender: Contender
  readonly connectionCount: number
  /** One per round. Figures of the same round have the same index in all rows. */
  readonly rounds: readonly Figures[]
}

export interface Circumstances {
  readonly rounds: number
  readonly seconds: number
  readonly loadBefore: number
}

const heading = ['through', 'connections', 'CPU µs per call', '× direct', 'calls/s', 'p50 ms', '× direct', 'p99 ms']
/** The first column is text, the others are numbers. */
const textColumns = 1

export function resultsTable(rows: readonly Row[], contenders: Contenders, circumstances: Circumstances): string {
  const { rounds, seconds, loadBefore } = circumstances
  const cells = rows.map((row) => {
    const direct = rowOf(row, contenders.direct, rows)
    return [
      row.contender.name,
      String(row.connectionCount),
      medianOf(row, 'cpuMicrosPerCall').toFixed(0),
      times(row, direct, 'cpuMicrosPerCall'),
      medianOf(row, 'callsPerSecond').toFixed(0),
      medianOf(row, 'p50Ms').toFixed(2),
      times(row, direct, 'p50Ms'),
      medianOf(row, 'p99Ms').toFixed(2),
    ]
  })
  return [
    ...markdownTable([heading, ...cells], textColumns),
    '',
    ...contenders.all.map(({ name, does }) => `- ${name}: ${does}.`),
    '',
    `Signalbox compared with a bare relay, for token, record, policy, names and both protocols: ${added(rows, contenders.relayed, contenders.bare)}.`,
    `The part of its CPU for the way to the upstream and back: ${added(rows, contenders.relayed, contenders.guarded)}.`,
    '',
    `${machine()}, load ${loadBefore.toFixed(1)} before and ${load().toFixed(1)} after. Medians of ${rounds} interleaved`,
    `rounds of ${seconds} s and at least 1,000 calls, after ${warmCalls} warm-up calls each. CPU is that of the gateway's processes without the upstream's`,
    'own; for "direct" it is the upstream\'s. Each connection is an MCP connection with one call in flight; the client runs',
    'on the same machine.',
  ].join('\n')
}

export function load(): number {
  return loadavg()[0] ?? Number.NaN
}

/** `71 µs at 1, 64 µs at 16` connections: the additional cost of one over the other. */
function added(rows: readonly Row[], more: Contender, less: Contender): string {
  return rows
    .filter(({ contender }) => contender === more)
    .map((row) => {
      const other = rowOf(row, less, rows)
      const micros = row.rounds.map(({ cpuMicrosPerCall }, round) => {
        return cpuMicrosPerCall - other.rounds[round]!.cpuMicrosPerCall
      })
      return `${median(micros).toFixed(0)} µs at ${row.connectionCount}`
    })
    .join(', ')
}

/** Compares each round with the same round of "direct", so that other load on the machine cancels out. */
function times(row: Row, direct: Row, figure: keyof Figures): string {
  return median(row.rounds.map((figures, round) => figures[figure] / direct.rounds[round]![figure])).toFixed(1)
}

/** The row of another contender with the same number of connections. */
function rowOf({ connectionCount }: Row, contender: Contender, rows: readonly Row[]): Row {
  return rows.find((row) => row.contender === contender && row.connectionCount === connectionCount)!
}

function medianOf({ rounds }: Row, figure: keyof Figures): number {
  return median(rounds.map((figures) => figures[figure]))
}
