/** What an agent is shown: every tool that it could ever be allowed to call. */
import type { Effect } from '../api/policy.ts'
import type { Tool } from '../mcp/mcp.ts'
import { PolicyFailure } from '../policy/policy.ts'
import type { PolicyNames } from './names.ts'
import { policyNames } from './names.ts'

/** What is decided on a tool whatever its arguments are; `undefined` where they make a difference. */
export type Foresight = (names: PolicyNames) => Effect | undefined

export async function visibleTools(
  tools: readonly Tool[],
  foresee: () => Promise<Foresight>,
): Promise<readonly Tool[]> {
  try {
    const effectOf = await foresee()
    return tools.filter((tool) => tool.isPassage || isCallable(effectOf(policyNames(tool))))
  } catch (error) {
    // Each call will say what is wrong with the policy; an empty list would say nothing.
    if (error instanceof PolicyFailure) return tools
    throw error
  }
}

function isCallable(effect: Effect | undefined): boolean {
  return effect !== 'deny' && effect !== 'abort'
}
