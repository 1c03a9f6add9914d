/** Pages of sessions and jobs, newest first: where the next one begins. */
import { z } from 'zod'
import type { SessionPlace } from './session-store.ts'

export const cursorArgument = z
  .string()
  .regex(/^[0-9TZ:.-]+_[a-z0-9]+$/, 'a cursor is what next_cursor said')
  .transform((text): SessionPlace => {
    const end = text.indexOf('_')
    return { createdAt: text.slice(0, end), id: text.slice(end + 1) }
  })
  .describe('As in next_cursor; without it, from the newest.')

export const limitArgument = z.int().min(1).max(1_000).default(200)

export interface Page<Item> {
  readonly items: readonly Item[]
  /** For whoever wants what comes next; empty where nothing does. */
  readonly cursor: { readonly next_cursor?: string }
}

/** Of `limit` items, given those and what comes behind them. */
export function toPage<Item extends SessionPlace>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, cursor: last && found.length > limit ? { next_cursor: `${last.createdAt}_${last.id}` } : {} }
}
