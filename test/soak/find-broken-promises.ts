/** Compares what clients were told with what the hub knows now. */
import { z } from 'zod'
import { callTool, type Endpoint, ModernRequestError } from '../harness/modern-call.ts'
import type { Ledger } from './ledger.ts'

/** So many of each kind are tried at the door; a hub slows down who fails there more often. */
const sampleSize = 10

export async function findBrokenPromises(endpoint: Endpoint, ledger: Ledger): Promise<readonly string[]> {
  return [
    ...(await findWrongTokens(endpoint, ledger)),
    ...(await findWrongDoors(endpoint, ledger)),
    ...(await findLostEvents(endpoint, ledger)),
  ]
}

async function findWrongTokens(endpoint: Endpoint, ledger: Ledger): Promise<readonly string[]> {
  const revokedAt = new Map((await readAll(endpoint, 'list_tokens', tokenPage)).map((row) => [row.id, row.revoked_at]))
  return [...ledger.tokens].flatMap(([id, { is }]) => {
    if (!revokedAt.has(id)) return [`token ${id} was issued and is gone`]
    const isRevoked = revokedAt.get(id) !== undefined
    if (is === 'revoked' && !isRevoked) return [`token ${id} was revoked and lives`]
    if (is === 'living' && isRevoked) return [`token ${id} was never revoked and is`]
    return []
  })
}

async function findWrongDoors({ url }: Endpoint, ledger: Ledger): Promise<readonly string[]> {
  const faults: string[] = []
  for (const is of ['living', 'revoked'] as const) {
    const kind = [...ledger.tokens.values()].filter((fate) => fate.is === is)
    for (const { token } of sample(kind)) {
      const isAdmitted = await opens({ url, token })
      if (isAdmitted !== (is === 'living')) faults.push(`a ${is} token is ${isAdmitted ? '' : 'not '}admitted`)
    }
  }
  return faults
}

async function findLostEvents(endpoint: Endpoint, { events }: Ledger): Promise<readonly string[]> {
  if (events.size === 0) return []
  const stored = new Map((await readAll(endpoint, 'query_events', eventPage)).map(({ seq, id }) => [seq, id]))
  return [...events].flatMap(([seq, id]) => (stored.get(seq) === id ? [] : [`event ${seq} was shown and is gone`]))
}

async function opens(endpoint: Endpoint): Promise<boolean> {
  try {
    await callTool(endpoint, 'hub_status')
    return true
  } catch (error) {
    if (error instanceof ModernRequestError && error.status === 401) return false
    throw error
  }
}

async function readAll<Item>(
  endpoint: Endpoint,
  tool: string,
  schema: z.ZodType<{ items: readonly Item[]; next?: string | undefined }>,
): Promise<readonly Item[]> {
  const all: Item[] = []
  let cursor: string | undefined
  do {
    const args = { limit: 1000, ...(cursor !== undefined && { cursor }) }
    const page = schema.parse(await callTool(endpoint, tool, args))
    all.push(...page.items)
    cursor = page.items.length === 0 ? undefined : page.next
  } while (cursor !== undefined)
  return all
}

const tokenPage = z
  .object({
    tokens: z.array(z.object({ id: z.string(), revoked_at: z.string().optional() })),
    next_cursor: z.string().optional(),
  })
  .transform(({ tokens, next_cursor }) => ({ items: tokens, next: next_cursor }))

const eventPage = z
  .object({
    events: z.array(z.object({ seq: z.number(), id: z.string() })),
    next_cursor: z.string().optional(),
  })
  .transform(({ events, next_cursor }) => ({ items: events, next: next_cursor }))

function sample<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, sampleSize)
    .map(({ item }) => item)
}
