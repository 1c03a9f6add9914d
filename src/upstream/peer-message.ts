/** Finds out where a message from an upstream belongs. */
import type { Params, RpcRequest } from '../mcp/mcp.ts'
import { metaKey, withoutMeta } from '../mcp/mcp.ts'

/** The id of our request that a response answers; NaN if there is none. */
export function idOf(
  { id, error }: Readonly<Record<string, unknown>>,
  context: {
    readonly during: RpcRequest | undefined
    readonly running: Pick<ReadonlyMap<number, unknown>, 'size' | 'keys'>
    readonly isStrict: boolean
  },
): number {
  const { during, running, isStrict } = context
  if (typeof id === 'number') return id
  if (typeof id === 'string') return isStrict ? Number.NaN : ownId(id)
  // A server that could not parse a request cannot know its id.
  if (error === undefined) return Number.NaN
  if (during) return Number(during.id)
  const [only = Number.NaN] = running.size === 1 ? running.keys() : []
  return only
}

/** Our id as an upstream repeats it, perhaps as text; NaN if it is not an id. */
export function ownId(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
}

/** Notices that go to all clients, regardless of the stream they came on. */
export function isForEverybody(method: string): boolean {
  return everybodys.has(method)
}

const everybodys = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
])

/** Removes the subscription id, which only the hub and the upstream use. */
export function withoutSubscription(params: Params | undefined): Params | undefined {
  return withoutMeta(params, metaKey.subscriptionId)
}
