/** Finds the policy names of tools in a session that is not running, from the cached lists of its connectors. */
import { toolPolicyName } from '../api/policy-names.ts'
import { createToolTest } from '../api/tool-filter.ts'
import type { ResolvedConnector } from './bound-connector.ts'
import { hasPrefixAmong } from './bound-connector.ts'
import type { MountLists } from './mount-lists.ts'
import type { PolicyNames } from './names.ts'
import { exposeNames, policyAliases } from './names.ts'

/** The name that was asked for, if no list contains it. */
export interface KnownNames extends PolicyNames {
  /** The mount that the tool seems to belong to, if that has no list yet. */
  readonly unlisted?: string
}

/** Finds a tool by its policy name or by the name that the agent sees. */
export async function findKeptNames(
  tool: string,
  bindings: readonly ResolvedConnector[],
  known: (bound: ResolvedConnector) => Promise<MountLists | undefined>,
): Promise<KnownNames> {
  let unlisted: string | undefined
  for (const bound of bindings) {
    const { label: mount, hasPrefix } = bound
    const lists = await known(bound).catch(() => undefined)
    if (!lists && (!hasPrefix || tool.startsWith(`${mount}_`))) unlisted = mount
    const isOffered = createToolTest(bound.tools ?? {})
    const originals = (lists?.tools ?? []).flatMap(({ name }) =>
      typeof name === 'string' && isOffered(name) ? [name] : [],
    )
    const exposed = exposeNames(mount, originals, { hasPrefix: hasPrefixAmong(bindings, bound) })
    const found = [...exposed].find(([original, name]) => name === tool || toolPolicyName(mount, original) === tool)
    if (!found) continue
    const [original, name] = found
    const aliases = policyAliases({ mount, original, name, mayBeBare: !hasPrefix })
    return { tool: toolPolicyName(mount, original), aliases }
  }
  return unlisted === undefined ? { tool } : { tool, unlisted }
}
