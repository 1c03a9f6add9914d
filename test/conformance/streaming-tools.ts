/** Tools that do something before they answer: log, report progress, ask, or close their stream. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Call, inputRequired, type Tool } from '../../src/mcp/mcp.ts'
import { fixtureTool, text } from './fixture-tool.ts'
import { ask } from './questions.ts'

/** Long enough that each notification is sent separately. */
const betweenNoticesMs = 50

export const streamingTools: readonly Tool[] = [
  fixtureTool('test_tool_with_logging', 'Logs three lines while it runs.', async (_, call) => {
    await logSlowly(call, ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
    return text('Three lines were logged.')
  }),

  fixtureTool('test_logging_tool', 'Logs one line, if the caller asked for logs.', (_, call) => {
    call.log('info', 'A line of the log')
    return text('One line was logged.')
  }),

  fixtureTool('test_tool_with_progress', 'Reports 0, 50 and 100 of 100.', async (_, call) => {
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await delay(betweenNoticesMs, undefined, { signal: call.signal })
      call.progress({ progress, total: 100 })
    }
    return text('The work is done.')
  }),

  fixtureTool('test_streaming_elicitation', 'Reports progress, then asks for a name.', (_, call) => {
    call.progress({ progress: 0, total: 1 })
    return 'user_name' in call.answers ? text('Thank you.') : inputRequired({ user_name: ask.name() })
  }),

  fixtureTool('test_reconnection', 'Closes its stream during the call.', async (_, call) => {
    call.releaseStream(500)
    await delay(100, undefined, { signal: call.signal })
    return text('You reconnected for this answer.')
  }),
]

async function logSlowly(call: Call, lines: readonly string[]): Promise<void> {
  for (const [index, line] of lines.entries()) {
    if (index > 0) await delay(betweenNoticesMs, undefined, { signal: call.signal })
    call.log('info', line)
  }
}
