/** The tables in docs/benchmarks.md. */
import { loadavg } from 'node:os'
import { machine, median, percentile } from '../figures.ts'
import { markdownTable } from '../markdown-table.ts'
import { calls, type Figures } from './turn.ts'

export interface Row {
  readonly agent: string
  /** One per round. Figures of the same round have the same index. */
  readonly alone: readonly Figures[]
  readonly inSession: readonly Figures[]
}

const heading = ['agent', 'run', 'CPU s', '× alone', 'hub CPU s', 's', '× alone', 'ms per call', '× alone']
/** The first columns are text, the others are numbers. */
const textColumns = 2

export function resultsTable(rows: readonly Row[], hookMs: readonly number[], rounds: number): string {
  const cells = rows.flatMap(({ agent, alone, inSession }) => [
    [agent, 'alone', ...figuresOf(alone, alone, '')],
    [agent, 'in a session', ...figuresOf(inSession, alone, median(inSession.map(hubOf)).toFixed(2))],
  ])
  return [
    ...markdownTable([heading, ...cells], textColumns),
    '',
    'The answer of the gate to a hook of Claude Code, which asks about a command that a rule allows:',
    `p50 ${percentile(hookMs, 0.5).toFixed(1)} ms, p95 ${percentile(hookMs, 0.95).toFixed(1)} ms over ${hookMs.length} calls; the budget is 30 ms at p50.`,
    '',
    `${machine()}, load ${loadavg()[0]?.toFixed(1)} at the end. Medians of ${rounds} interleaved rounds; the`,
    'ratios are medians of the ratios in each round. CPU and time are from the start of the agent to the end of the turn.',
    'CPU is that of all processes: the agent, the upstream, the hub and its holder; the hub’s own part is a column too. The',
    `time per call is from one request to the model to the next, over ${calls} calls. The built-in agent, alone, is the AI`,
    'SDK’s own loop in a program without a hub, with the same model and tool; both are warm, and only the turn counts.',
  ].join('\n')
}

function hubOf({ ownCpuSeconds }: Figures): number {
  return ownCpuSeconds
}

function figuresOf(figures: readonly Figures[], alone: readonly Figures[], hub: string): readonly string[] {
  const pair = (figure: keyof Figures, digits: number) => [
    median(figures.map((each) => each[figure])).toFixed(digits),
    // Compares the same round, so that other load on the machine cancels out.
    median(figures.map((each, round) => each[figure] / alone[round]![figure])).toFixed(2),
  ]
  return [...pair('cpuSeconds', 2), hub, ...pair('seconds', 2), ...pair('msPerCall', 0)]
}
