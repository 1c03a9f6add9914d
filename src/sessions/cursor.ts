/** Cursors for pages of jobs, newest first. */
import { z } from 'zod'
import type { SessionPlace } from './session-store.ts'

export const cursorArgument = z
  .string()
  .regex(/^[0-9TZ:.-]+_[a-z0-9]+$/, 'pass a next_cursor of an earlier answer')
  .transform((text): SessionPlace => {
    const end = text.indexOf('_')
    return { createdAt: text.slice(0, end), id: text.slice(end + 1) }
  })
  .describe('As in next_cursor. Default: the newest.')

export const limitArgument = z.int().min(1).max(1_000).default(200)

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Empty on the last page. */
  readonly cursor: { readonly next_cursor?: string }
}

/** Cuts a page of `limit` items. `found` holds one more item if there is a next page. */
export function toPage<Item extends SessionPlace>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, cursor: last && found.length > limit ? { next_cursor: `${last.createdAt}_${last.id}` } : {} }
}
