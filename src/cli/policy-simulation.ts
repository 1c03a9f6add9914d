/** What a policy would have changed, as the hub tells it and as a person reads it. */
import { z } from 'zod'
import type { Effect } from '../api/policy.ts'
import { effects } from '../api/policy.ts'
import { shownText } from './shown-text.ts'
import type { Cell, StyledCell, TableOptions } from './table.ts'
import { renderTable } from './table.ts'

const effect = z.enum(effects)

export const simulationAnswer = z.looseObject({
  calls: z.number(),
  unchanged: z.number(),
  uncertain: z.number(),
  changed: z.array(
    z.looseObject({
      at: z.string(),
      session: z.string(),
      tool: z.string(),
      before: effect,
      after: effect,
      rule: z.string().optional(),
    }),
  ),
  changes: z.array(z.object({ before: effect, after: effect, count: z.number() })),
  from: z.string().optional(),
  to: z.string().optional(),
  truncated: z.boolean(),
})
export type SimulationAnswer = z.output<typeof simulationAnswer>

/** One line, and one more for each kind of change. */
export function renderCounts({ calls, unchanged, uncertain, changes, from, to, truncated }: SimulationAnswer): string {
  if (calls === 0) return 'No recorded call of that time would be decided by it.'
  const others = changes.reduce((sum, { count }) => sum + count, 0)
  const unsure = uncertain === 0 ? '' : `, ${uncertain} uncertain (the record does not keep what a rule looks at)`
  const more = truncated ? ' There are more calls behind these: raise --limit, or begin later with --since.' : ''
  return [
    `Of ${calls} recorded calls from ${from} to ${to}, ${unchanged} would be decided as before, ${others} otherwise${unsure}.${more}`,
    ...changes.map(({ before, after, count }) => `  ${before} → ${after}: ${count}`),
  ].join('\n')
}

export function renderChanged({ changed }: SimulationAnswer, options: TableOptions): string {
  const rows = changed.map(({ at, session, tool, before, after, rule }): Cell[] => [
    at,
    session,
    before,
    { text: after, style: styles[after] },
    rule ?? 'default',
    shownText(tool),
  ])
  return renderTable([['when', 'session', 'was', 'would be', 'by', 'tool'], ...rows], options)
}

const styles: Readonly<Record<Effect, StyledCell['style']>> = {
  allow: 'green',
  ask: 'yellow',
  deny: 'red',
  abort: 'red',
}
