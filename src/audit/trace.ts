/** One call's whole path as a tree: what was asked, decided, answered by a person, done. */
import { z } from 'zod'
import type { Event } from '../api/event.ts'
import { HubError } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'

export interface Span {
  readonly id: string
  readonly type: string
  readonly at: string
  /** Since the first event of the trace. */
  readonly after_ms: number
  readonly session?: string
  readonly route?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly spans: readonly Span[]
}

const spanSchema: z.ZodType<Span> = z.lazy(() =>
  z.object({
    id: z.string(),
    type: z.string(),
    at: z.string(),
    after_ms: z.number(),
    session: z.string().optional(),
    route: z.string().optional(),
    payload: z.record(z.string(), z.unknown()),
    spans: z.array(spanSchema),
  }),
) as z.ZodType<Span>

const maxEvents = 10_000

export function createTraceTool(events: Pick<EventLog, 'read'>): Tool {
  return defineTool({
    name: 'get_trace',
    description:
      'Everything that was recorded of one call, as a tree. The id stands in its events, its approval and the _meta of its result.',
    input: z.strictObject({ correlation: z.string().min(1).max(200) }),
    output: z.object({ correlation: z.string(), spans: z.array(spanSchema) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ correlation }) {
      const found = await readAll(events, correlation)
      if (found.length === 0) {
        throw new HubError(
          'not-found',
          `"correlation": no event of "${correlation}" is kept. query_events shows the ids.`,
        )
      }
      return { correlation, spans: [...toTree(found)] }
    },
  })
}

async function readAll(events: Pick<EventLog, 'read'>, correlation: string): Promise<readonly Event[]> {
  const found: Event[] = []
  let cursor = 0
  for (;;) {
    const page = await events.read({ correlation, cursor, limit: 1_000 })
    found.push(...page.events)
    if (page.events.length === 0 || found.length >= maxEvents) return found
    cursor = page.nextCursor
  }
}

/** An event that names no parent, such as a call inside a call, belongs to the one that is open and was begun last. */
export function toTree(events: readonly Event[]): readonly Span[] {
  const startedAt = Date.parse(events[0]?.at ?? '')
  const children = new Map<string, Event[]>()
  const roots: Event[] = []
  const ids = new Set(events.map(({ id }) => id))
  let open: readonly string[] = []
  for (const event of events) {
    const parent = event.parent !== undefined && ids.has(event.parent) ? event.parent : open.at(-1)
    if (event.type === 'tool-called') open = [...open, event.id]
    if (event.type === 'tool-answered') open = open.filter((id) => id !== parent)
    if (parent === undefined) roots.push(event)
    else children.set(parent, [...(children.get(parent) ?? []), event])
  }
  const toSpan = ({ id, type, at, session, route, payload }: Event): Span => ({
    id,
    type,
    at,
    after_ms: Date.parse(at) - startedAt,
    ...(session !== undefined && { session }),
    ...(route !== undefined && { route }),
    payload,
    spans: (children.get(id) ?? []).map(toSpan),
  })
  return roots.map(toSpan)
}
