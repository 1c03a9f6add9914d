/** Every writing call is an event before it runs, and another when it is done. */
import { recordedArguments } from '../base/recorded-arguments.ts'
import type { EventLog } from '../events/events.ts'
import type { Layer } from '../mcp/mcp.ts'

export function createRecordLayer(events: EventLog): Layer {
  return async (tool, args, call, next) => {
    if (tool.annotations.readOnlyHint === true) return next()
    const { correlation, caller } = call
    const common = { correlation, ...(caller.session !== undefined && { session: caller.session }) }
    const requested = await events.append({
      ...common,
      type: 'tool-called',
      payload: {
        tool: tool.name,
        arguments: recordedArguments(args, tool.unrecorded),
        role: caller.role,
        token_id: caller.tokenId,
      },
    })
    const startedAt = performance.now()
    const record = (outcome: Record<string, unknown>) =>
      events.append({
        ...common,
        type: 'tool-answered',
        parent: requested.id,
        payload: { tool: tool.name, ms: Math.round((performance.now() - startedAt) * 1000) / 1000, ...outcome },
      })
    try {
      const result = await next()
      await record({
        outcome: 'isError' in result && result.isError ? 'error' : 'ok',
        bytes: JSON.stringify(result).length,
      })
      return result
    } catch (error) {
      await record({ outcome: 'failed', error })
      throw error
    }
  }
}
