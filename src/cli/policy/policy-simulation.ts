/** The result of a simulation, and its text for a person. */
import { z } from 'zod'
import type { Effect } from '../../api/policy.ts'
import { effects } from '../../api/policy.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import type { Cell, StyledCell, TableOptions } from '../terminal-output/table.ts'
import { renderTable } from '../terminal-output/table.ts'

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

/** One line, and one more line for each kind of change. */
export function renderCounts({ calls, unchanged, uncertain, changes, from, to, truncated }: SimulationAnswer): string {
  if (calls === 0) return 'This policy would decide no recorded call of that time.'
  const different = changes.reduce((sum, { count }) => sum + count, 0)
  const unsure = uncertain === 0 ? '' : `, ${uncertain} uncertain (the record lacks values that a rule needs)`
  const more = truncated ? ' There are more calls: raise --limit, or start later with --since.' : ''
  return [
    `Of ${calls} recorded calls from ${from} to ${to}, ${unchanged} would be decided as before, ${different} differently${unsure}.${more}`,
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
    visibleText(tool),
  ])
  return renderTable([['when', 'session', 'was', 'would be', 'by', 'tool'], ...rows], options)
}

const styles: Readonly<Record<Effect, StyledCell['style']>> = {
  allow: 'green',
  ask: 'yellow',
  deny: 'red',
  abort: 'red',
}
