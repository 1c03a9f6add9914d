/** How a policy knows the tools of a session of which nothing runs: from the lists that are kept of its connectors. */
import type { BoundConnector } from './bound-connector.ts'
import { hasPrefixAmong } from './bound-connector.ts'
import type { MountLists } from './mount-lists.ts'
import type { PolicyNames } from './names.ts'
import { exposeNames, policyAliases, policyName } from './names.ts'

/** As it was asked for, where no list has it. */
export interface KnownNames extends PolicyNames {
  /** The mount that it seems to be of, and that has no list yet. */
  readonly unlisted?: string
}

/** By the name that policies know it by, or the one that the agent sees. */
export async function findKeptNames(
  tool: string,
  bindings: readonly BoundConnector[],
  known: (bound: BoundConnector) => Promise<MountLists | undefined>,
): Promise<KnownNames> {
  let unlisted: string | undefined
  for (const bound of bindings) {
    const { label: mount, hasPrefix } = bound
    const lists = await known(bound).catch(() => undefined)
    if (!lists && (!hasPrefix || tool.startsWith(`${mount}_`))) unlisted = mount
    const originals = (lists?.tools ?? []).flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
    const exposed = exposeNames(mount, originals, { hasPrefix: hasPrefixAmong(bindings, bound) })
    const found = [...exposed].find(([original, name]) => name === tool || policyName(mount, original) === tool)
    if (!found) continue
    const [original, name] = found
    const aliases = policyAliases({ mount, original, name, mayBeBare: !hasPrefix })
    return { tool: policyName(mount, original), aliases }
  }
  return unlisted === undefined ? { tool } : { tool, unlisted }
}
