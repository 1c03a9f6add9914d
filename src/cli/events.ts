/** `signalbox events` */
import { z } from 'zod'
import type { Session } from '../api/session.ts'
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { eventFields } from './event-fields.ts'
import { listSessions } from './list-sessions.ts'
import { shownText } from './shown-text.ts'
import { fitTo, renderTable } from './table.ts'
import type { Cell, TableOptions } from './table.ts'

const eventSchema = z.looseObject({
  seq: z.number(),
  type: z.string(),
  at: z.string(),
  session: z.string().optional(),
  correlation: z.string().optional(),
  payload: z.record(z.string(), z.unknown()),
})
const pageSchema = z.object({
  events: z.array(eventSchema),
  next_cursor: z.string(),
  dropped: z.number().optional(),
})
type RecordedEvent = z.output<typeof eventSchema>

export const command = defineCommand({
  about: [
    'Lists what happened, the newest first: when, in which session, what, and what of it. "signalbox trace" shows all of one',
    'call, by the id under "trace".',
  ].join('\n'),
  flags: {
    session: { takes: 'SESSION', about: 'only those of this session, by name or id' },
    type: { takes: 'TYPE', about: 'only those of this type, such as tool-called' },
    since: { takes: 'TIME', about: 'only those since this time, such as 2026-01-31T08:00:00Z' },
    limit: { takes: 'COUNT', short: 'n', about: 'how many, at most 1000 (default: 20)' },
    cursor: { takes: 'CURSOR', about: 'go on from where an earlier list ended' },
    'oldest-first': { about: 'begin with the oldest' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox events', 'signalbox events --session build --type tool-called -n 50'],
  async run(args, context) {
    await using hub = await connectFrom(args, context)
    const sessions = await listSessions(hub)
    const order = args.has('oldest-first') ? 'oldest' : 'newest'
    const limit = readLimit(args.text('limit') ?? '20')
    const filter = {
      session: args.text('session'),
      type: args.text('type'),
      since: args.text('since'),
      cursor: args.text('cursor'),
    }
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    const page = await ask(hub, 'query_events', { order, limit, ...Object.fromEntries(given) })
    if (args.has('json')) {
      context.out(JSON.stringify(page, null, 2))
      return 'ok'
    }
    const { events, next_cursor } = pageSchema.parse(page)
    context.out(events.length === 0 ? 'Nothing is recorded.' : renderEvents(events, sessions, fitTo(context.display())))
    if (events.length === limit) context.err(`signalbox: there may be more: add --cursor ${next_cursor}`)
    return 'ok'
  },
})

export function renderEvents(
  events: readonly RecordedEvent[],
  sessions: readonly Pick<Session, 'id' | 'name'>[],
  options: TableOptions = {},
): string {
  const names = new Map(sessions.map(({ id, name }) => [id, name]))
  const head = ['at', 'session', 'event', 'trace', 'says'].map((text): Cell => ({ text, style: 'dim' }))
  const rows = events.map(({ at, session, type, correlation = '–', payload }): Cell[] => [
    { text: `${at.slice(0, 19).replace('T', ' ')}Z`, style: 'dim' },
    session === undefined ? '–' : (names.get(session) ?? session),
    { text: shownText(type), style: 'bold' },
    { text: shownText(correlation), style: 'dim' },
    eventFields(payload).map(shownText).join('  '),
  ])
  return renderTable([head, ...rows], options)
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new CliError('usage', `--limit takes a number from 1 to 1000, not "${text}".`)
  }
  return limit
}
