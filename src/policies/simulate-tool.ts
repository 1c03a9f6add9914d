/** simulate_policy */
import { z } from 'zod'
import { durationSchema, toMilliseconds } from '../api/duration.ts'
import { effects } from '../api/policy.ts'
import type { EventLog } from '../events/events.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { compilePolicy } from '../policy/policy.ts'
import { inArgument, ownerArguments } from './arguments.ts'
import type { CurrentPolicies, KnownSession } from './current-policies.ts'
import type { PolicyDocuments } from './policy-documents.ts'
import { simulate } from './simulate.ts'

export interface SimulateToolDeps {
  readonly documents: PolicyDocuments
  readonly current: CurrentPolicies
  readonly events: Pick<EventLog, 'read'>
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
}

const instant = z
  .union([z.iso.datetime({ offset: true }), durationSchema], 'write an ISO 8601 time, or how long ago, such as "7d"')
  .describe('ISO 8601, or how long ago: "7d".')

const defaultCalls = 10_000
const mostCalls = 200_000

const simulationSchema = z.object({
  calls: z.int().describe('Recorded calls that were replayed.'),
  unchanged: z.int(),
  uncertain: z
    .int()
    .describe('Not judged: a rule looks at an argument that the record does not keep, or takes too long.'),
  changed: z
    .array(
      z.object({
        event: z.string(),
        at: z.string(),
        session: z.string(),
        tool: z.string(),
        before: z.enum(effects),
        after: z.enum(effects),
        rule: z.string().optional(),
        answer: z.enum(['denied', 'aborted']).optional().describe('The person’s, where it was asked and refused.'),
      }),
    )
    .describe('The first 200.'),
  groups: z
    .array(
      z.object({
        tool: z.string(),
        before: z.enum(effects),
        after: z.enum(effects),
        rule: z.string().optional(),
        count: z.int(),
        refused: z.int().describe('How many of them a person denied or aborted.'),
        sessions: z.array(z.string()).describe('Names of the first three.'),
        example: z.string().optional().describe('A text among the arguments of the first one.'),
      }),
    )
    .describe('The changed calls, those of one tool that are decided alike together.'),
  changes: z.array(z.object({ before: z.enum(effects), after: z.enum(effects), count: z.int() })),
  from: z.string().optional().describe('When the first of them was made.'),
  to: z.string().optional(),
  truncated: z.boolean().describe('There are more calls after "to" than the limit allows.'),
})

export function createSimulateTool({ documents, current, events, findSession }: SimulateToolDeps): Tool {
  return defineTool({
    name: 'simulate_policy',
    description:
      'Replays the recorded calls of agents as if this policy had been in place, and lists those that would have been decided differently. Nothing is called or saved.',
    input: z.strictObject({
      source: z.string().describe('The proposed document.'),
      ...ownerArguments,
      since: instant.optional(),
      until: instant.optional(),
      limit: z.int().min(1).max(mostCalls).default(defaultCalls).describe('Calls to replay, oldest first.'),
    }),
    output: simulationSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ source, scope, target, since, until, limit }, call) {
      const key = await documents.keyOf({ scope, target })
      const proposed = await inArgument('source', compilePolicy(source, { scope, version: 0 }))
      const times = { since: toTime(since), until: toTime(until) }
      const onProgress = (calls: number) => call.progress({ progress: calls, message: `${calls} calls replayed` })
      const request = { proposed, key, ...times, limit, signal: call.signal, onProgress }
      const { isCut, changed, changes, groups, ...counts } = await simulate(request, { events, current, findSession })
      return {
        ...counts,
        changed: [...changed],
        groups: groups.map((group) => ({ ...group, sessions: [...group.sessions] })),
        changes: [...changes],
        truncated: isCut,
      }
    },
  })
}

function toTime(value: z.output<typeof instant> | undefined): string | undefined {
  if (value === undefined) return undefined
  const isTime = typeof value === 'string' && value.includes('T')
  return new Date(isTime ? value : Date.now() - toMilliseconds(value)).toISOString()
}
