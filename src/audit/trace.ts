/** All events of one call as a tree: request, decision, approval, outcome. A call that was made again has two roots. */
import { z } from 'zod'
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import type { Span } from '../api/trace.ts'
import { traceSchema } from '../api/trace.ts'
import { HubError } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { readTrace } from './read-trace.ts'

export function createTraceTool(events: Pick<EventLog, 'read'>): Tool {
  return defineTool({
    name: 'get_trace',
    description:
      'All recorded events of one call, as a tree. If the call was made again to get the answer of a person, both are shown.',
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
      return { correlation, spans: [...toTree(found)] }
    },
  })
}

/** An event without a parent, such as a nested call, belongs to the newest open call of its correlation. */
export function toTree(events: readonly LoggedEvent[]): readonly Span[] {
  const startedAt = Date.parse(events[0]?.at ?? '')
  const children = new Map<string, LoggedEvent[]>()
  const roots: LoggedEvent[] = []
  const ids = new Set(events.map(({ id }) => id))
  let open: readonly LoggedEvent[] = []
  for (const event of events) {
    const parent = event.parent !== undefined && ids.has(event.parent) ? event.parent : openCall(open, event)
    if (hasType(event, 'tool-called')) open = [...open, event]
    if (hasType(event, 'tool-answered')) open = open.filter(({ id }) => id !== parent)
    if (parent === undefined) roots.push(event)
    else children.set(parent, [...(children.get(parent) ?? []), event])
  }
  const toSpan = ({ id, type, at, session, correlation, route, payload }: LoggedEvent): Span => {
    const below = children.get(id) ?? []
    const isOpen = type === 'tool-called' && !below.some((event) => hasType(event, 'tool-answered'))
    return {
      id,
      type,
      at,
      after_ms: Date.parse(at) - startedAt,
      ...(session !== undefined && { session }),
      ...(correlation !== undefined && { correlation }),
      ...(route !== undefined && { route }),
      payload,
      ...(isOpen && { outcome: 'unknown' }),
      spans: below.map(toSpan),
    }
  }
  return roots.map(toSpan)
}

function openCall(open: readonly LoggedEvent[], { correlation }: LoggedEvent): string | undefined {
  return open.findLast((call) => call.correlation === correlation)?.id
}
