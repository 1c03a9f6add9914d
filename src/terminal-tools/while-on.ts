/** Switching a tool off also ends its running calls: they get the same error as a new call. */
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'

export interface Switch {
  isOn(): boolean
  /** Called when the tool may have been switched. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

export function whileOn(tool: Tool, { isOn, onChange }: Switch): Tool {
  return {
    ...tool,
    async run(args, call) {
      const off = new AbortController()
      const check = () => {
        if (!isOn()) off.abort(unknownTool(tool.name))
      }
      using stops = new DisposableStack()
      stops.defer(onChange(check))
      // The call may have waited for an approval before it came here.
      check()
      off.signal.throwIfAborted()
      const result = await tool.run(args, call.with({ signal: AbortSignal.any([call.signal, off.signal]) }))
      off.signal.throwIfAborted()
      return result
    },
  }
}

function unknownTool(name: string): HubError {
  return new HubError('not-found', `Unknown tool: "${name}". Call tools/list for the names.`)
}
