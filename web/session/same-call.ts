/**
 * A call stands in two records: in the thread, as the agent made it, and in the event log, as the hub decided it. The
 * agents do not tell the hub the ids of their calls, so the two are matched by name, arguments and time.
 */
import type { ToolCallItem } from './thread-items.ts'

export interface RecordedCall {
  readonly at: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Agents write the call into the thread some time after the hub has recorded it, or before. */
const mostApartMs = 60_000

export function findCall(calls: readonly ToolCallItem[], recorded: RecordedCall): ToolCallItem | undefined {
  const apart = ({ at }: ToolCallItem) => Math.abs(Date.parse(at) - Date.parse(recorded.at))
  const like = calls.filter((call) => isSameTool(call.name, recorded) && apart(call) < mostApartMs)
  const args = recorded.arguments['agent_arguments'] ?? recorded.arguments
  const same = like.filter(({ parameters }) => JSON.stringify(parameters) === JSON.stringify(args))
  return (same.length > 0 ? same : like).toSorted((one, other) => apart(one) - apart(other))[0]
}

/** Agents put the name of the server before the name of a tool: `mcp__signalbox__terminal_send_text`. */
function isSameTool(name: string, { tool, arguments: args }: RecordedCall): boolean {
  return name === tool || name === args['agent_tool'] || name.endsWith(`_${tool}`) || name.endsWith(`.${tool}`)
}
