/** Lists by the page. What is listed has a name that orders it, and a page goes on after the last name of the one before. */
import { z } from 'zod'

export const pageInput = {
  cursor: z.string().min(1).max(200).optional().describe('As in next_cursor; without it, from the first.'),
  limit: z.int().min(1).max(1_000).default(200),
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where there are more. */
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
