/** get_trace: everything that one call caused, as a tree. A call that was made again has two roots. */
import { z } from 'zod'
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import type { OpenOutcome } from '../api/trace.ts'
import { traceSchema } from '../api/trace.ts'
import { HubError } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { maxEvents, readTrace } from './read-trace.ts'
import { openIn, toTree } from './span-tree.ts'

type Events = Pick<EventLog, 'read'>

export function createTraceTool(events: Events): Tool {
  return defineTool({
    name: 'get_trace',
    description:
      'All recorded events that one call caused, as a tree: turns, model calls, tool calls, approvals, calls of other ' +
      'sessions. If the call was made again to get the answer of a person, both are shown.',
    input: z.strictObject({
      correlation: z
        .string()
        .min(1)
        .max(200)
        .describe('Of its events, or in the _meta of its result. The id of its approval works too.'),
    }),
    output: traceSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ correlation }) {
      const found = await readTrace(events, correlation)
      if (found.length === 0) {
        throw new HubError(
          'not-found',
          `"correlation": the log has no event of "${correlation}". Call query_events for the ids.`,
        )
      }
      const spans = [...toTree(found, await outcomesOf(events, openIn(found)))]
      return { correlation, spans, ...(found.length >= maxEvents && { truncated: true as const }) }
    },
  })
}

export async function outcomesOf(
  events: Events,
  open: readonly LoggedEvent[],
): Promise<ReadonlyMap<string, OpenOutcome>> {
  const [started] = (await events.read({ type: 'hub-started', order: 'newest', limit: 1 })).events
  const isOfThisHub = ({ seq }: LoggedEvent) => started === undefined || seq > started.seq
  const outcomes = new Map<string, OpenOutcome>()
  for (const event of open) {
    if (!hasType(event, 'turn-started')) outcomes.set(event.id, isOfThisHub(event) ? 'running' : 'unknown')
    // The program of an agent outlives the hub, and so does its turn.
    else outcomes.set(event.id, (await hasSessionEnded(events, event)) ? 'cut' : 'running')
  }
  return outcomes
}

async function hasSessionEnded(events: Events, { session, seq: cursor }: LoggedEvent): Promise<boolean> {
  if (session === undefined) return false
  const later = await events.read({ session, type: 'session-ended', cursor, limit: 1 })
  return later.events.length > 0
}
