/** query_events, get_trace, list_turns, `resource://events/{cursor}`, and the layer that records every writing call. */
import { z } from 'zod'
import { loggedEventSchema } from '../api/event.ts'
import { HubError } from '../base/hub-error.ts'
import type { EventLog, EventQuery } from '../events/events.ts'
import type { Feature } from '../feature/feature.ts'
import type { Notices, Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { TurnThreads } from './list-turns.ts'
import { createListTurnsTool } from './list-turns.ts'
import { createTraceTool } from './trace.ts'

export { createRecordLayer } from './record-layer.ts'

const eventsPrefix = 'resource://events/'
const defaultLimit = 100
const maxLimit = 1_000

const time = z.iso.datetime({ offset: true }).describe('ISO 8601')

export interface AuditOptions {
  readonly events: EventLog
  readonly notices: Notices
  /** By name or id. Throws if there is no such session. */
  readonly findSession: (nameOrId: string) => Promise<{ readonly id: string }>
  readonly threads: TurnThreads
}

export function createAudit(options: AuditOptions): Feature {
  return { providers: [createAuditProvider(options)] }
}

export function createAuditProvider({ events, notices, findSession, threads }: AuditOptions): Provider {
  const family = notices.family(eventsPrefix)
  events.onCommit(() => family.changed())

  /** A removed session no longer has a name, but its events can still be read by its id. */
  async function idOf(session: string): Promise<string> {
    try {
      return (await findSession(session)).id
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'not-found') throw error
      const { events: kept } = await events.read({ session, limit: 1 })
      if (kept.length > 0) return session
      throw new HubError('not-found', `"session": ${error.message}`, { cause: error })
    }
  }

  const tool = defineTool({
    name: 'query_events',
    description: 'Reads the event log from a cursor, with filters. Continue with next_cursor, in the same order.',
    input: z.strictObject({
      session: z.string().min(1).max(200).optional().describe('Name or id. For a removed session, its id.'),
      thread: z.string().optional(),
      correlation: z.string().optional(),
      type: z.string().optional().describe('Such as "tool-called".'),
      route: z.string().optional(),
      since: time.optional(),
      until: time.optional(),
      order: z.enum(['oldest', 'newest']).default('oldest').describe('Which come first.'),
      cursor: cursorSchema().optional().describe('As in next_cursor. Default: the first.'),
      limit: z.int().min(1).max(maxLimit).default(defaultLimit),
    }),
    output: z.object({ events: z.array(loggedEventSchema), next_cursor: z.string(), dropped: z.number().optional() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async ({ session, since, until, cursor, ...filter }) => {
      const query = {
        ...filter,
        session: session === undefined ? undefined : await idOf(session),
        since: since && toUtc(since),
        until: until && toUtc(until),
        cursor: cursor === undefined ? undefined : Number(cursor),
      }
      return readPage(events, withoutUndefined(query))
    },
  })

  const template = {
    uriTemplate: `${eventsPrefix}{cursor}`,
    name: 'events',
    description: 'The events after a cursor, oldest first. Changes when there are more. Start at 0.',
    mimeType: 'application/json',
    async read(uri: string) {
      const cursor = cursorSchema().safeParse(uri.slice(eventsPrefix.length))
      if (!cursor.success) return undefined
      const page = await readPage(events, { cursor: Number(cursor.data), limit: defaultLimit })
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(page) }] }
    },
  }
  const tools = [tool, createTraceTool(events), createListTurnsTool({ events, threads, idOf })]
  return { toolset: 'events', tools: () => tools, resourceTemplates: () => [template] }
}

async function readPage(events: EventLog, query: EventQuery) {
  const page = await events.read(query)
  return {
    events: page.events.map((event) => ({ ...event })),
    next_cursor: String(page.nextCursor),
    ...(page.dropped > 0 && { dropped: page.dropped }),
  }
}

function cursorSchema() {
  return z.string().regex(/^\d{1,15}$/, 'a cursor is a number, as in next_cursor')
}

function toUtc(time: string): string {
  return new Date(time).toISOString()
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never
}
