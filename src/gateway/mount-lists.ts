/** What an upstream offers, all pages of it, as it came. */
import type { Client, Params, Upstream } from '../mcp/mcp.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'

export interface MountLists {
  readonly tools: readonly Listed[]
  readonly resources: readonly Listed[]
  readonly resourceTemplates: readonly Listed[]
  readonly prompts: readonly Listed[]
}

/** One entry of a list, in the upstream's own words. */
export type Listed = Readonly<Record<string, unknown>>
export type ListField = keyof MountLists

export const noLists: MountLists = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

const methods: Readonly<Record<ListField, { readonly method: string; readonly capability: string }>> = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
}

/** An upstream that pages without end must not fill the hub. */
const maxEntries = 20_000
const listMs = 30_000

export async function readLists(
  upstream: Upstream,
  client: Pick<Client, 'capabilities'>,
  fields: readonly ListField[],
): Promise<Partial<MountLists>> {
  const read = await Promise.all(fields.map(async (field) => [field, await readList(upstream, client, field)] as const))
  return Object.fromEntries(read)
}

async function readList(upstream: Upstream, client: Pick<Client, 'capabilities'>, field: ListField) {
  const { method, capability } = methods[field]
  if (!(capability in (upstream.identity?.capabilities ?? {}))) return []
  const entries: Listed[] = []
  const seen = new Set<unknown>()
  let params: Params = {}
  for (;;) {
    const signal = AbortSignal.timeout(listMs)
    const page = (await upstream
      .request(method, params, { signal, client, isSafe: true })
      .catch(orNothing)) as Readonly<Record<string, unknown>>
    if (Array.isArray(page[field])) for (const entry of page[field]) entries.push(entry as Listed)
    const cursor = page['nextCursor']
    const isLast = cursor === undefined || cursor === null || seen.has(cursor)
    if (isLast || entries.length > maxEntries || seen.size > maxEntries) return entries
    seen.add(cursor)
    params = { cursor }
  }
}

/** Some declare resources and know no templates. */
function orNothing(error: unknown): object {
  if (error instanceof RpcError && error.code === errorCode.methodNotFound) return {}
  throw error
}
