/** The tool filter in the options of a connector. */
import type { ConnectorOptions } from '../api/connector.ts'
import type { ToolFilter } from '../api/tool-filter.ts'

export function toolFilterOf({ enabled_tools: enabled, disabled_tools: disabled }: ConnectorOptions): ToolFilter {
  return { enabled, disabled }
}
