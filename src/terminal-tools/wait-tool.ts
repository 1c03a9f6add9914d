/** wait_for */
import type { Activity, ActivityView, SessionStatus } from '../api/session.ts'
import type { WaitInput, WaitOutput } from '../api/wait.ts'
import { waitInput, waitOutputSchema } from '../api/wait.ts'
import type { Call } from '../mcp/mcp.ts'
import { keepAlive } from './keep-alive.ts'
import type { ToolTarget } from './tool-target.ts'
import type { TerminalTool } from './terminal-tool.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'
import { toCondition, waitForTerminal } from './wait.ts'

export interface WaitDeps {
  /** `undefined`: not known. */
  activityOf(sessionId: string, asSeenBy: 'others' | 'agent'): ActivityView | undefined
  statusOf(sessionId: string): SessionStatus | Promise<SessionStatus>
}

/** The implementation of wait_for, for tools that offer the same under another name. */
export type RunWait = (target: ToolTarget, input: WaitInput, call: Call) => Promise<WaitOutput>

export function createRunWait({ activityOf, statusOf }: WaitDeps): RunWait {
  return async ({ id, terminal }, input, call) => {
    const activity = activityOf(id, call.caller.session === id ? 'agent' : 'others')
    using _ = keepAlive(call)
    const { met, reason } = await waitForTerminal(terminal, toCondition(input), {
      timeoutMs: input.timeout_ms,
      signal: call.signal,
      since: input.since,
      activity,
    })
    return {
      met,
      reason,
      status: await statusOf(id),
      activity: activity?.current() ?? unknownActivity(),
      offset: terminal.screen.offset,
      screen: terminal.screen.text(),
    }
  }
}

export function createWaitTool(run: RunWait): TerminalTool {
  return defineTerminalTool({
    name: 'wait_for',
    description: 'Waits for a text or pattern, or until the program is idle, waits for a person, or has ended.',
    input: waitInput,
    output: waitOutputSchema,
    annotations: readOnly,
    run,
  })
}

function unknownActivity(): Activity {
  return { is: 'unknown', since: new Date().toISOString(), source: 'none', confidence: 0 }
}
