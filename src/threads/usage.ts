/** The usage of agents' turns: a total for each session, kept in memory, and by day and session from the store. */
import type { NewEntry, Usage } from '../api/thread.ts'
import type { UsageQuery, UsageRow } from '../api/usage.ts'
import { addUsage, noUsage } from '../api/usage.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store, Tables } from '../store/store.ts'

export const usageUri = 'resource://usage'

export interface UsageBook {
  /** Reads the totals of earlier hubs. */
  start(): Promise<void>
  /** `undefined`: the session has used nothing, or its agent did not report it. */
  of(sessionId: string): Usage | undefined
  /** Counts the turns that these entries end. Called when the entries are stored. */
  add(sessionId: string, entries: readonly NewEntry[]): void
  /** The newest day first, and within it the session that used most. */
  read(query: UsageQuery): Promise<readonly UsageRow[]>
}

export interface UsageOptions {
  readonly store: Store
  readonly notices: Pick<Notices, 'resourceChanged'>
}

export function createUsage({ store: { db }, notices }: UsageOptions): UsageBook {
  const totals = new Map<string, Usage>()

  return {
    async start() {
      const sums = await db
        .selectFrom('turn_usage')
        .groupBy('session_id')
        .select(({ fn }) => [
          'session_id',
          fn.sum('input_tokens').as('input'),
          fn.sum('output_tokens').as('output'),
          fn.sum('cost_usd').as('cost'),
        ])
        .execute()
      for (const { session_id: session, input, output, cost } of sums) {
        totals.set(session, {
          input_tokens: Number(input),
          output_tokens: Number(output),
          ...(cost !== null && { cost_usd: Number(cost) }),
        })
      }
    },
    of: (sessionId) => totals.get(sessionId),
    add(sessionId, entries) {
      const used = entries.flatMap((entry) => (entry.type === 'complete' && entry.usage ? [entry.usage] : []))
      if (used.length === 0) return
      totals.set(sessionId, used.reduce(addUsage, totals.get(sessionId) ?? noUsage))
      notices.resourceChanged(usageUri)
    },
    async read({ since, until, by, timeZone }) {
      const after = db.selectFrom('turn_usage').selectAll().where('at', '>=', since)
      const rows = await (until === undefined ? after : after.where('at', '<', until)).execute()
      const dayOf = createDayOf(timeZone)
      const groups = new Map<string, UsageRow>()
      for (const row of rows) {
        const place = {
          ...(by !== 'session' && { day: dayOf(row.at) }),
          ...(by !== 'day' && { session: row.session, session_id: row.session_id }),
        }
        const key = `${place.day} ${place.session_id}`
        const before = groups.get(key) ?? { ...place, turns: 0, ...noUsage }
        groups.set(key, { ...before, turns: before.turns + 1, ...addUsage(before, toUsage(row)) })
      }
      return [...groups.values()].toSorted(byDayAndSize)
    },
  }
}

function toUsage({ input_tokens, output_tokens, cost_usd }: Tables['turn_usage']): Usage {
  return { input_tokens, output_tokens, ...(cost_usd !== null && { cost_usd }) }
}

function createDayOf(timeZone: string): (at: string) => string {
  // The Swedish form of a date is that of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return (at) => format.format(new Date(at))
}

function byDayAndSize(one: UsageRow, other: UsageRow): number {
  if (one.day !== other.day) return (one.day ?? '') < (other.day ?? '') ? 1 : -1
  return (other.cost_usd ?? 0) - (one.cost_usd ?? 0) || other.input_tokens - one.input_tokens
}
