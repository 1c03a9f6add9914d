/** A call that changed something is answered only when no crash can lose the notices of what it changed. */
import type { Layer } from './face.ts'
import type { Notices } from './notices.ts'

export function createSettleLayer(notices: Notices): Layer {
  return async (tool, _args, _call, next) => {
    const result = await next()
    if (tool.annotations.readOnlyHint !== true) await notices.settled()
    return result
  }
}
