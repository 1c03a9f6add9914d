/** list_turns: the turns of agents, newest first, each as a summary. */
import { z } from 'zod'
import type { LoggedEvent } from '../api/event.ts'
import { readEvent } from '../api/event.ts'
import type { TurnSummary } from '../api/turn.ts'
import { turnSummarySchema } from '../api/turn.ts'
import type { EventLog, EventQuery } from '../events/events.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { readAll } from './read-trace.ts'
import { outcomesOf } from './trace.ts'
import { summarize } from './turn-summary.ts'

export interface ListTurnsOptions {
  readonly events: Pick<EventLog, 'read'>
  /** The prompt of a turn is in its thread, not in the log. */
  readonly threads: TurnThreads
  /** By name or id. Throws if there is no such session. */
  readonly idOf: (session: string) => Promise<string>
}

export interface TurnThreads {
  currentOf(session: string): string | undefined
  promptAfter(thread: string, at: string): Promise<{ readonly text: string; readonly turn: number } | undefined>
}

const maxLimit = 200
const longestPrompt = 300
/** Summaries of ended turns are cached, because they do not change. */
const mostKept = 1_000
const mostEvents = 5_000

const time = z.iso.datetime({ offset: true })

export function createListTurnsTool({ events, threads, idOf }: ListTurnsOptions): Tool {
  const kept = new Map<string, TurnSummary>()
  /** The events so far of turns that still run, by the event that began the turn. */
  const growing = new Map<string, readonly LoggedEvent[]>()

  async function eventsOf(started: LoggedEvent): Promise<readonly LoggedEvent[]> {
    const { id, correlation } = started
    if (correlation === undefined) return [started]
    const before = growing.get(id) ?? []
    const cursor = before.at(-1)?.seq
    const query = cursor === undefined ? { correlation } : { correlation, cursor }
    const more = await readAll(events, query, mostEvents - before.length)
    const all = [...before, ...more.map(withoutTexts)]
    growing.set(id, all)
    return all
  }

  async function describe(started: LoggedEvent): Promise<TurnSummary> {
    const known = kept.get(started.id)
    if (known) return known
    const { session = '', at } = started
    const short = summarize(started, await eventsOf(started))
    const isCut = short.status === 'running' && (await outcomesOf(events, [started])).get(started.id) === 'cut'
    const thread = short.thread ?? threads.currentOf(session)
    const prompt = thread === undefined ? undefined : await threads.promptAfter(thread, at)
    const turn: TurnSummary = {
      ...short,
      ...(isCut && { status: 'cut' }),
      ...(thread !== undefined && { thread }),
      ...(prompt && { prompt: prompt.text.slice(0, longestPrompt), number: prompt.turn }),
    }
    if (turn.status !== 'running') keep(started.id, turn)
    return turn
  }

  function keep(id: string, turn: TurnSummary): void {
    kept.set(id, turn)
    growing.delete(id)
    const [oldest] = kept.keys()
    if (kept.size > mostKept) kept.delete(oldest!)
  }

  return defineTool({
    name: 'list_turns',
    description:
      'The turns of agents, newest first: prompt, time, how long they were held, spans, cost. Without session, a turn that another session asked for is part of the turn that asked. get_trace shows one whole.',
    input: z.strictObject({
      session: z.string().min(1).max(200).optional().describe('Name or id.'),
      since: time.optional().describe('ISO 8601'),
      until: time.optional(),
      cursor: z
        .string()
        .regex(/^\d{1,15}$/, 'a cursor is a number, as in next_cursor')
        .optional(),
      limit: z.int().min(1).max(maxLimit).default(50),
    }),
    output: z.object({ turns: z.array(turnSummarySchema), next_cursor: z.string().optional() }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    async run({ session, since, until, cursor, limit }) {
      const query: EventQuery = {
        type: 'turn-started',
        order: 'newest',
        ...(session !== undefined && { session: await idOf(session) }),
        ...(since !== undefined && { since: new Date(since).toISOString() }),
        ...(until !== undefined && { until: new Date(until).toISOString() }),
      }
      const isShown = (event: LoggedEvent) =>
        session !== undefined || (readEvent(event, 'turn-started')?.payload.chain.length ?? 1) === 1
      const turns: TurnSummary[] = []
      let from = cursor === undefined ? undefined : Number(cursor)
      for (;;) {
        const page = await events.read({ ...query, limit, ...(from !== undefined && { cursor: from }) })
        for (const event of page.events.filter(isShown)) {
          turns.push(await describe(event))
          if (turns.length === limit) return { turns, next_cursor: String(event.seq) }
        }
        if (page.events.length === 0) return { turns }
        from = page.nextCursor
      }
    },
  })
}

/** Most of an event of a model is its text, which a summary does not need. */
function withoutTexts(event: LoggedEvent): LoggedEvent {
  const { request: _, response: __, arguments: ___, ...payload } = event.payload
  return { ...event, payload }
}
