/** Answers a call that may change something only when a crash can no longer lose the notices of its changes. */
import type { Layer, Notices } from '../mcp/mcp.ts'

export function createSettleLayer(notices: Notices): Layer {
  return async (operation, _call, next) => {
    const result = await next()
    if (operation.kind === 'tool' && operation.tool.annotations.readOnlyHint !== true) await notices.settled()
    return result
  }
}
