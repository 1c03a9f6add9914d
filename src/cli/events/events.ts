/** `signalbox events` */
import { z } from 'zod'
import { loggedEventSchema } from '../../api/event.ts'
import type { Session } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readTime } from '../command/time-flag.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { listSessions } from '../sessions/list-sessions.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import type { Cell, TableOptions } from '../terminal-output/table.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import { eventFields } from './event-fields.ts'

const pageSchema = z.object({
  events: z.array(loggedEventSchema),
  next_cursor: z.string(),
  dropped: z.number().optional(),
})

export const command = defineCommand({
  about: [
    'Lists events, newest first: time, session, type, trace and details. "signalbox trace" shows all events of one call; it',
    'takes the id from the column "trace".',
  ].join('\n'),
  flags: {
    session: { takes: 'SESSION', about: 'only events of this session, by name or id' },
    thread: { takes: 'THREAD', about: 'only events of this thread' },
    trace: { takes: 'ID', about: 'only events of this correlation, from the column "trace"' },
    type: { takes: 'TYPE', about: 'only events of this type, such as tool-called' },
    route: { takes: 'ROUTE', about: 'only events of this route, such as openai or mcp:stdio' },
    since: { takes: 'TIME', about: 'only events since a time: 1h (an hour ago), or 2026-01-31T08:00:00Z' },
    until: { takes: 'TIME', about: 'only events before a time, written in the same way' },
    limit: { takes: 'COUNT', short: 'n', about: 'how many, at most 1000 (default: 20)' },
    cursor: { takes: 'CURSOR', about: 'continue where an earlier list ended' },
    'oldest-first': { about: 'start with the oldest' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: [
    'signalbox events',
    'signalbox events --since 1h',
    'signalbox events --session build --type tool-called -n 50',
    'signalbox events --type model-answered --route openai --since 1d --until 1h',
  ],
  async run(args, context) {
    const limit = readLimit(args.text('limit') ?? '20')
    const times = { since: readTime(args, 'since'), until: readTime(args, 'until') }
    const order = args.has('oldest-first') ? 'oldest' : 'newest'
    using hub = await openHubClient(args, context)
    const sessions = await listSessions(hub)
    const filter = {
      session: args.text('session'),
      thread: args.text('thread'),
      correlation: args.text('trace'),
      type: args.text('type'),
      route: args.text('route'),
      ...times,
      cursor: args.text('cursor'),
    }
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    const page = await ask(hub, 'query_events', { order, limit, ...Object.fromEntries(given) })
    if (args.has('json')) {
      context.out(JSON.stringify(page, null, 2))
      return 'ok'
    }
    const { events, next_cursor } = pageSchema.parse(page)
    context.out(
      events.length === 0 ? 'There are no such events.' : renderEvents(events, sessions, fitTo(context.display())),
    )
    if (events.length === limit) context.err(`signalbox: there may be more. Add --cursor ${next_cursor} to continue.`)
    return 'ok'
  },
})

type ShownEvent = Pick<z.output<typeof loggedEventSchema>, 'at' | 'type' | 'session' | 'correlation' | 'payload'>

export function renderEvents(
  events: readonly ShownEvent[],
  sessions: readonly Pick<Session, 'id' | 'name'>[],
  options: TableOptions = {},
): string {
  const names = new Map(sessions.map(({ id, name }) => [id, name]))
  const head = ['at', 'session', 'event', 'trace', 'says'].map((text): Cell => ({ text, style: 'dim' }))
  const rows = events.map(({ at, session, type, correlation = '–', payload }): Cell[] => [
    { text: `${at.slice(0, 19).replace('T', ' ')}Z`, style: 'dim' },
    session === undefined ? '–' : (names.get(session) ?? session),
    { text: visibleText(type), style: 'bold' },
    { text: visibleText(correlation), style: 'dim' },
    eventFields(payload).map(visibleText).join('  '),
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
