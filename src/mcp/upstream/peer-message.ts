/** What a message from an upstream says about where it belongs. */
import type { Params, RpcRequest } from '../wire.ts'
import { metaKey, withoutMeta } from '../wire.ts'

/** The request a response answers, by our id; NaN where there is none. */
export function idOf(
  { id, error }: Readonly<Record<string, unknown>>,
  context: {
    readonly during: RpcRequest | undefined
    readonly running: ReadonlyMap<number, unknown>
    readonly isStrict: boolean
  },
): number {
  const { during, running, isStrict } = context
  if (typeof id === 'number') return id
  if (typeof id === 'string') return isStrict ? Number.NaN : Number(id)
  // A server that could not read a request cannot know its id.
  if (error === undefined) return Number.NaN
  if (during) return Number(during.id)
  const [only = Number.NaN] = running.size === 1 ? running.keys() : []
  return only
}

/** Notices that are everybody's, whatever stream they came on. */
export function isForEverybody(method: string): boolean {
  return everybodys.has(method)
}

const everybodys = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
])

/** The id of a subscription is between us and the upstream. */
export function withoutSubscription(params: Params | undefined): Params | undefined {
  return withoutMeta(params, metaKey.subscriptionId)
}
