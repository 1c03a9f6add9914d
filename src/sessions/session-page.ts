/**
 * Pages of sessions: first those that wait for a person, of any age, then the newest. The cursor holds the position in
 * the list, and the ids of older waiting sessions that were already listed. So each session is listed once, even if it
 * starts or stops waiting between two pages.
 */
import { z } from 'zod'
import type { SessionStatus } from '../api/session.ts'
import { livingStatuses } from '../api/session.ts'
import type { SessionPlace, SessionRecord } from './session-store.ts'
import type { Sessions } from './session.ts'

interface SessionCursor {
  /** `undefined`: only waiting sessions were listed so far. */
  readonly place: SessionPlace | undefined
  readonly given: readonly string[]
}

export const sessionCursorArgument = z
  .string()
  .regex(/^([0-9TZ:.-]+_[a-z0-9]+)?(~[a-z0-9]+)*$/, 'pass a next_cursor of an earlier answer')
  .transform((text): SessionCursor => {
    const [place = '', ...given] = text.split('~')
    const end = place.indexOf('_')
    if (end === -1) return { place: undefined, given }
    return { place: { createdAt: place.slice(0, end), id: place.slice(end + 1) }, given }
  })
  .describe('As in next_cursor. Default: the start.')

export interface PageRequest {
  readonly status?: SessionStatus | undefined
  readonly cursor?: SessionCursor | undefined
  readonly limit: number
  readonly isAskedFor?: (record: SessionRecord) => boolean
}

export interface SessionPage {
  readonly records: readonly SessionRecord[]
  /** Empty on the last page. */
  readonly cursor: { readonly next_cursor?: string }
}

export async function readSessionPage(
  sessions: Pick<Sessions, 'list' | 'activityOf'>,
  { status, cursor = { place: undefined, given: [] }, limit, isAskedFor = () => true }: PageRequest,
): Promise<SessionPage> {
  const given = new Set(cursor.given)
  const isNext = (record: SessionRecord) => !given.has(record.id) && isAskedFor(record)

  const living = await sessions.list({ status, statuses: livingStatuses, after: cursor.place })
  const isWaiting = (record: SessionRecord) => sessions.activityOf(record).is === 'waiting'
  const waiting = living.filter((record) => isNext(record) && isWaiting(record)).slice(0, limit)
  for (const { id } of waiting) given.add(id)

  const left = limit - waiting.length
  const others: SessionRecord[] = []
  let after = cursor.place
  for (;;) {
    const page = await sessions.list({ status, after, limit: limit + 1 })
    others.push(...page.filter(isNext))
    after = page.at(-1)
    if (others.length > left || page.length <= limit) break
  }
  const records = [...waiting, ...others.slice(0, left)]
  if (others.length <= left) return { records, cursor: {} }

  const place = left > 0 ? others[left - 1] : cursor.place
  const ahead = waiting.filter((record) => place === undefined || isBehind(record, place)).map(({ id }) => id)
  const from = place ? `${place.createdAt}_${place.id}` : ''
  return { records, cursor: { next_cursor: [from, ...cursor.given, ...ahead].join('~') } }
}

/** Whether the list has not reached the record yet. */
function isBehind(record: SessionPlace, place: SessionPlace): boolean {
  return record.createdAt < place.createdAt || (record.createdAt === place.createdAt && record.id < place.id)
}
