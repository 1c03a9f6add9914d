/** A tool that is switched off is off for the calls that run, too: they are answered like one that comes now. */
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'

export interface Switch {
  isOn(): boolean
  /** Called when it may have been switched. Returns the way to stop. */
  onChange(listener: () => void): () => void
}

export function whileOn(tool: Tool, { isOn, onChange }: Switch): Tool {
  return {
    ...tool,
    async run(args, call) {
      const off = new AbortController()
      const look = () => {
        if (!isOn()) off.abort(unknownTool(tool.name))
      }
      using stops = new DisposableStack()
      stops.defer(onChange(look))
      // It may have waited for a person before it came here.
      look()
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
