/** What an agent says of itself, and the tool it says it with. */
import { z } from 'zod'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'

const kinds = ['working', 'waiting', 'idle'] as const

export interface AgentReport {
  readonly is: (typeof kinds)[number]
  /** For waiting: what for. */
  readonly reason?: string | undefined
}

/** For the compositor: the session is the one whose token calls. */
export function createReportProvider(onReport: (session: string, report: AgentReport) => void): Provider {
  const tool = defineTool({
    name: 'sessions_report_activity',
    description: 'For hooks: tells the people who watch this session whether it works, waits for them, or is idle.',
    input: z.strictObject({
      is: z.enum(kinds),
      reason: z.string().max(500).optional().describe('For waiting: what for.'),
    }),
    output: z.object({ ok: z.boolean() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run(report, { caller }) {
      onReport(caller.session ?? '', report)
      return { ok: true }
    },
  })
  return { toolset: 'sessions', tools: () => [tool] }
}
