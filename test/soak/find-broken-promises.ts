/** Compares the answers that clients received with the current data of the hub. */
import { z } from 'zod'
import { requestOn } from '../harness/legacy-call.ts'
import { callTool, type Endpoint, ModernRequestError } from '../harness/modern-call.ts'
import type { Ledger } from './ledger.ts'

/** Only a few tokens of each kind are tried, because the hub slows down a client that fails to authenticate often. */
const sampleSize = 10

export async function findBrokenPromises(endpoint: Endpoint, ledger: Ledger): Promise<readonly string[]> {
  return [
    ...(await findWrongTokens(endpoint, ledger)),
    ...(await findWrongAuthentications(endpoint, ledger)),
    ...(await findLostEvents(endpoint, ledger)),
    ...(await findLostConnections(endpoint, ledger)),
  ]
}

async function findWrongTokens(endpoint: Endpoint, ledger: Ledger): Promise<readonly string[]> {
  const revokedAt = new Map((await readAll(endpoint, 'list_tokens', tokenPage)).map((row) => [row.id, row.revoked_at]))
  return [...ledger.tokens].flatMap(([id, { is }]) => {
    if (!revokedAt.has(id)) return [`token ${id} was issued, but is gone`]
    const isRevoked = revokedAt.get(id) !== undefined
    if (is === 'revoked' && !isRevoked) return [`token ${id} was revoked, but is still valid`]
    if (is === 'living' && isRevoked) return [`token ${id} was never revoked, but is revoked now`]
    return []
  })
}

async function findWrongAuthentications({ url }: Endpoint, ledger: Ledger): Promise<readonly string[]> {
  const faults: string[] = []
  for (const is of ['living', 'revoked'] as const) {
    const kind = [...ledger.tokens.values()].filter((fate) => fate.is === is)
    for (const { token } of sample(kind)) {
      const isAccepted = await isValid({ url, token })
      if (isAccepted !== (is === 'living')) faults.push(`a ${is} token is ${isAccepted ? '' : 'not '}accepted`)
    }
  }
  return faults
}

/** Includes events that no client has read: every answered call has an event from before it ran. The event of its outcome may be lost. */
async function findLostEvents(endpoint: Endpoint, { events, tokens }: Ledger): Promise<readonly string[]> {
  const stored = await readAll(endpoint, 'query_events', eventPage, { limit: 1000 })
  const idOf = new Map(stored.map(({ seq, id }) => [seq, id]))
  const lost = [...events].filter(([seq, id]) => idOf.get(seq) !== id)
  const made = new Set(stored.map(({ payload }) => payload.arguments?.label))
  const unmade = [...tokens.values()].filter(({ label }) => !made.has(label))
  return [
    ...lost.map(([seq]) => `event ${seq} was shown, but is gone`),
    ...unmade.map(({ label }) => `the event of the call that issued ${label} is gone`),
  ]
}

/** Checks only the newest, because connections per token are limited and the oldest are dropped. */
async function findLostConnections(endpoint: Endpoint, { connections }: Ledger): Promise<readonly string[]> {
  const faults: string[] = []
  for (const id of connections.slice(-sampleSize)) {
    const { status } = await requestOn(endpoint, id, 'ping')
    if (status !== 200) faults.push(`connection ${id} was opened, but is gone: ${status}`)
  }
  return faults
}

async function isValid(endpoint: Endpoint): Promise<boolean> {
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
  args: Readonly<Record<string, unknown>> = {},
): Promise<readonly Item[]> {
  const all: Item[] = []
  let cursor: string | undefined
  do {
    const page = schema.parse(await callTool(endpoint, tool, { ...args, ...(cursor !== undefined && { cursor }) }))
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

const event = z.object({
  seq: z.number(),
  id: z.string(),
  payload: z.looseObject({ arguments: z.looseObject({ label: z.string().optional() }).optional() }),
})

const eventPage = z
  .object({
    events: z.array(event),
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
