/** The data of the section, kept up to date by notices of new events. */
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Span } from '../../src/api/trace.ts'
import type { TurnSummary } from '../../src/api/turn.ts'
import type { UsageRow } from '../../src/api/usage.ts'
import type { CallTool } from '../hub/hub.ts'
import { useLive } from '../hub/hub-context.tsx'
import type { Live } from '../hub/live-value.ts'

/** All cursors change together, so a notice of this one announces every event. */
const eventsUri = 'resource://events/0'

const hourMs = 60 * 60_000

/** The spans of time that a list can show. */
export const periods = {
  hour: { words: '1 hour', ms: hourMs },
  day: { words: '1 day', ms: 24 * hourMs },
  week: { words: '1 week', ms: 7 * 24 * hourMs },
  all: { words: 'All', ms: undefined },
} as const
export type Period = keyof typeof periods

function sinceOf(period: Period): { readonly since?: string } {
  const { ms } = periods[period]
  return ms === undefined ? {} : { since: new Date(Date.now() - ms).toISOString() }
}

const mostTurns = 200

export function useTurns(period: Period, session: string | undefined): Live<readonly TurnSummary[]> {
  return useLive(`turns:${period}:${session ?? ''}`, ({ call }) => ({
    uris: [eventsUri],
    everyMs: 2_000,
    async read(signal) {
      const args = { ...sinceOf(period), limit: mostTurns, ...(session !== undefined && { session }) }
      return (await call<{ turns: readonly TurnSummary[] }>('list_turns', args, signal)).turns
    },
  }))
}

export interface Trace {
  readonly spans: readonly Span[]
  /** Summaries of its turns, oldest first. */
  readonly turns: readonly TurnSummary[]
  readonly truncated: boolean
}

export function useTrace(correlation: string): Live<Trace> {
  return useLive<Trace>(`trace:${correlation}`, ({ call }) => ({
    uris: [eventsUri],
    everyMs: 1_000,
    async read(signal, before) {
      // A trace that has ended does not change.
      if (before && !isRunning(before.spans)) return before
      const { spans, truncated = false } = await call<{ spans: readonly Span[]; truncated?: true }>(
        'get_trace',
        { correlation },
        signal,
      )
      const turns = await Promise.all(turnsIn(spans).map((span) => readTurn(call, span, signal)))
      return { spans, truncated, turns: turns.filter((turn) => turn !== undefined) }
    },
  }))
}

function isRunning(spans: readonly Span[]): boolean {
  return spans.some(({ outcome, spans: below }) => outcome === 'running' || isRunning(below))
}

function turnsIn(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => [...(span.type === 'turn-started' ? [span] : []), ...turnsIn(span.spans)])
}

async function readTurn(call: CallTool, { session, at }: Span, signal: AbortSignal): Promise<TurnSummary | undefined> {
  if (session === undefined) return undefined
  const until = new Date(Date.parse(at) + 1).toISOString()
  const { turns } = await call<{ turns: readonly TurnSummary[] }>(
    'list_turns',
    { session, since: at, until, limit: 1 },
    signal,
  )
  return turns[0]
}

export interface EventFilter {
  readonly session?: string
  readonly type?: string
  readonly route?: string
}

export interface EventWindow {
  /** Newest first. */
  readonly events: readonly LoggedEvent[]
  /** The cursor of the newest event that was read. */
  readonly cursor: string
}

interface EventPage {
  readonly events: readonly LoggedEvent[]
  readonly next_cursor: string
}

const firstEvents = 200
const mostEvents = 1_000
const pageSize = 500
const mostPages = 4
/**
 * A page with fewer events is the last one. A page of large events may hold fewer than requested, but at least this
 * many.
 */
const fewEvents = 20

export function useEvents(filter: EventFilter): Live<EventWindow> {
  return useLive<EventWindow>(`events:${JSON.stringify(filter)}`, ({ call }) => ({
    uris: [eventsUri],
    everyMs: 300,
    async read(signal, before) {
      let { events, cursor } = before ?? { events: [], cursor: undefined }
      for (let pages = 0; cursor !== undefined && pages < mostPages; pages++) {
        const page = await call<EventPage>('query_events', { ...filter, cursor, limit: pageSize }, signal)
        events = [...page.events.toReversed(), ...events].slice(0, mostEvents)
        cursor = page.next_cursor
        if (page.events.length < fewEvents) return { events, cursor }
      }
      // The first read, or too much has happened since the last one.
      const args = { ...filter, order: 'newest', limit: firstEvents }
      const newest = (await call<EventPage>('query_events', args, signal)).events
      return { events: newest, cursor: String(newest[0]?.seq ?? 0) }
    },
  }))
}

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** By day and session, in the time zone of the person. */
export function useUsage(days: number): Live<readonly UsageRow[]> {
  return useLive(`usage:${days}`, ({ call }) => ({
    uris: ['resource://usage'],
    everyMs: 1_000,
    async read(signal) {
      const args = { since: dayStart(days - 1).toISOString(), time_zone: timeZone }
      return (await call<{ usage: readonly UsageRow[] }>('get_usage', args, signal)).usage
    },
  }))
}

/** Midnight at the start of the day that many days ago. */
export function dayStart(daysAgo: number): Date {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - daysAgo)
  return day
}

/** As the hub names it: `2026-05-31`. */
export function dayName(day: Date): string {
  return day.toLocaleDateString('sv-SE')
}
