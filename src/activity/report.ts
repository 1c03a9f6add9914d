/** The tool that agents call to report their activity. */
import { z } from 'zod'
import type { AgentReport } from '../api/session.ts'
import { reportedKinds } from '../api/session.ts'
import { withoutControls } from '../base/without-controls.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'

export interface ReportedSessions {
  /** False if the session has ended, or takes no reports. */
  report(session: string, report: AgentReport): Promise<boolean>
}

/** For the compositor: the token of the call says which session reports. */
export function createReportProvider(sessions: ReportedSessions): Provider {
  const tool = defineTool({
    name: 'sessions_report_activity',
    description: 'For hooks: tells the people who watch this session whether it is working, waiting for them, or idle.',
    input: z.strictObject({
      is: z.enum(reportedKinds),
      reason: z.string().overwrite(withoutControls).max(500).optional().describe('For waiting: what for.'),
    }),
    output: z.object({ ok: z.boolean() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run(report, { caller }) {
      return { ok: await sessions.report(caller.session ?? '', report) }
    },
  })
  // Hooks call the tool by its name. It is not listed: a model does not need it, and the list stays short.
  return { toolset: 'sessions', tools: () => [], findTool: (name) => (name === tool.name ? tool : undefined) }
}
