/** All events of one call as a tree: request, decision, approval, outcome. */
import { z } from 'zod'
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import type { Span } from '../api/trace.ts'
import { traceSchema } from '../api/trace.ts'
import { HubError } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'

const maxEvents = 10_000

export function createTraceTool(events: Pick<EventLog, 'read'>): Tool {
  return defineTool({
    name: 'get_trace',
    description:
      'All recorded events of one call, as a tree. The id is in its events, its approval and the _meta of its result.',
    input: z.strictObject({ correlation: z.string().min(1).max(200) }),
    output: traceSchema,
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ correlation }) {
      const found = await readAll(events, correlation)
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

async function readAll(events: Pick<EventLog, 'read'>, correlation: string): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = []
  let cursor = 0
  for (;;) {
    const page = await events.read({ correlation, cursor, limit: 1_000 })
    found.push(...page.events)
    if (page.events.length === 0 || found.length >= maxEvents) return found
    cursor = page.nextCursor
  }
}

/** An event without a parent, such as a nested call, belongs to the newest open call. */
export function toTree(events: readonly LoggedEvent[]): readonly Span[] {
  const startedAt = Date.parse(events[0]?.at ?? '')
  const children = new Map<string, LoggedEvent[]>()
  const roots: LoggedEvent[] = []
  const ids = new Set(events.map(({ id }) => id))
  let open: readonly string[] = []
  for (const event of events) {
    const parent = event.parent !== undefined && ids.has(event.parent) ? event.parent : open.at(-1)
    if (hasType(event, 'tool-called')) open = [...open, event.id]
    if (hasType(event, 'tool-answered')) open = open.filter((id) => id !== parent)
    if (parent === undefined) roots.push(event)
    else children.set(parent, [...(children.get(parent) ?? []), event])
  }
  const toSpan = ({ id, type, at, session, route, payload }: LoggedEvent): Span => {
    const below = children.get(id) ?? []
    const isOpen = type === 'tool-called' && !below.some((event) => hasType(event, 'tool-answered'))
    return {
      id,
      type,
      at,
      after_ms: Date.parse(at) - startedAt,
      ...(session !== undefined && { session }),
      ...(route !== undefined && { route }),
      payload,
      ...(isOpen && { outcome: 'unknown' }),
      spans: below.map(toSpan),
    }
  }
  return roots.map(toSpan)
}
