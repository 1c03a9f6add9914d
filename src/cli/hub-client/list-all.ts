import { ask } from './ask-hub.ts'
import type { HubClient } from './hub-client.ts'

export interface PagedList<Item> {
  readonly tool: string
  /** The field of the list in the answer. */
  readonly name: string
  /** Validates one page. */
  read(items: unknown): readonly Item[]
}

/** Reads all pages of a list. */
export async function listAll<Item>(
  hub: HubClient,
  { tool, name, read }: PagedList<Item>,
  filter: Readonly<Record<string, unknown>> = {},
): Promise<readonly Item[]> {
  const found: Item[] = []
  let cursor: unknown
  do {
    const answer = await ask(hub, tool, { limit: 1_000, ...filter, ...(cursor !== undefined && { cursor }) })
    found.push(...read(answer[name]))
    cursor = answer['next_cursor']
  } while (cursor !== undefined)
  return found
}
