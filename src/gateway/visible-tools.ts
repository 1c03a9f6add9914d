/** The tools that an agent sees: all that the policy could ever allow. */
import type { Effect } from '../api/policy.ts'
import type { ToolInfo } from '../mcp/mcp.ts'
import { PolicyFailure } from '../policy/policy.ts'
import type { PolicyNames } from './names.ts'
import { policyNames } from './names.ts'

/** The decision on a tool for any arguments; `undefined` if it depends on them. */
export type Foresight = (names: PolicyNames) => Effect | undefined

export async function visibleTools<Shown extends ToolInfo>(
  tools: readonly Shown[],
  predict: () => Promise<Foresight>,
): Promise<readonly Shown[]> {
  try {
    const effectOf = await predict()
    return tools.filter((tool) => tool.isPassThrough || isCallable(effectOf(policyNames(tool))))
  } catch (error) {
    // Each call will report the broken policy. An empty list would explain nothing.
    if (error instanceof PolicyFailure) return tools
    throw error
  }
}

function isCallable(effect: Effect | undefined): boolean {
  return effect !== 'deny' && effect !== 'abort'
}
