/** `completion/complete`: answered by the completers of our own definition, or by the upstream. */
import type { Call, Completers, Params, Prompt, ResourceTemplate } from '../mcp/mcp.ts'
import { noCompletion } from '../mcp/mcp.ts'
import type { Dispatch } from './dispatch.ts'

/** The params that the hub itself reads. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string }
  readonly argument: { readonly name: string; readonly value: string }
}

type Complete = (
  completed: Prompt | ResourceTemplate | undefined,
  request: CompletionRequest,
  params: Params,
  call: Call,
) => Promise<object>

const maxCompletions = 100

export function createCompletion(dispatch: Dispatch): Complete {
  return async (completed, { ref, argument }, asked, call) => {
    const { subject, complete, relayedCompletion: relayed } = completed ?? {}
    const isRenamed = completed !== undefined && 'original' in completed
    const params = isRenamed ? { ...asked, ref: { ...ref, name: completed.original } } : asked
    // The hub declares completions for everything, but an upstream may not offer them.
    if (relayed?.isOffered() === false) return noCompletion
    return dispatch({ kind: 'complete', subject, params }, call, (passed) =>
      relayed ? relayed.run(params, passed) : completeFrom(complete, argument),
    )
  }
}

async function completeFrom(
  completers: Completers = {},
  { name, value }: CompletionRequest['argument'],
): Promise<object> {
  const completer = Object.hasOwn(completers, name) ? completers[name] : undefined
  const values = (await completer?.(value)) ?? []
  return {
    completion: {
      values: values.slice(0, maxCompletions),
      total: values.length,
      hasMore: values.length > maxCompletions,
    },
  }
}
