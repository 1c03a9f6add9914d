/** Splits lists into pages. Items are sorted by name, and a page starts after the last name of the previous one. */
import { z } from 'zod'

export const pageInput = {
  cursor: z.string().min(1).max(200).optional().describe('As in next_cursor; without it, from the first.'),
  limit: z.int().min(1).max(1_000).default(200),
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Present if there are more items. */
  readonly next?: { readonly next_cursor: string }
}

export function pageOf<Item>(
  all: readonly Item[],
  nameOf: (item: Item) => string,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Page<Item> {
  const left = all
    .filter((item) => cursor === undefined || nameOf(item) > cursor)
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  const items = left.slice(0, limit)
  const last = items.at(-1)
  return { items, ...(last && left.length > limit && { next: { next_cursor: nameOf(last) } }) }
}
