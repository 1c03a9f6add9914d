import { z } from 'zod'
import { ask } from './ask-hub.ts'
import type { HubConnection } from './hub-client.ts'

export interface PagedList<Item extends z.ZodType> {
  readonly tool: string
  /** The name of the list in its answer. */
  readonly name: string
  readonly item: Item
}

const behind = z.object({ next_cursor: z.string().optional() })

/** Everything that a tool lists, page after page. */
export async function listAll<Item extends z.ZodType>(
  hub: HubConnection,
  { tool, name, item }: PagedList<Item>,
  filter: Readonly<Record<string, unknown>> = {},
): Promise<readonly z.output<Item>[]> {
  const found: z.output<Item>[] = []
  let cursor: string | undefined
  do {
    const answer = await ask(hub, tool, { limit: 1_000, ...filter, ...(cursor !== undefined && { cursor }) })
    found.push(...z.array(item).parse(answer[name]))
    cursor = behind.parse(answer).next_cursor
  } while (cursor !== undefined)
  return found
}
