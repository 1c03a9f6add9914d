/** get_connector, call_connector_tool, log_out_connector */
import { z } from 'zod'
import { connectorDetailSchema } from '../api/connector.ts'
import { defineTool, type Tool } from '../mcp/mcp.ts'
import type { ConnectorViews } from './connector-views.ts'
import type { ConnectorDesk } from './connector.ts'

export function createDetailTools(deps: {
  readonly connectors: Pick<ConnectorDesk, 'find' | 'callTool' | 'logOut'>
  readonly views: ConnectorViews
}): readonly Tool[] {
  const { connectors, views } = deps
  const name = z.string().describe('As in list_connectors.')
  return [
    defineTool({
      name: 'get_connector',
      description:
        'One connector in full: its tools, resources and prompts with their schemas as it last listed them, the upstream of each session with its last output, its variables and its login. If it was never listed, call test_connector.',
      input: z.strictObject({ name }),
      output: connectorDetailSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: async (asked) => views.detail(await connectors.find(asked.name)),
    }),
    defineTool({
      name: 'call_connector_tool',
      description:
        'Calls a tool of a connector as yourself, in no session: starts or reaches the server, calls the tool once, and ends it. No policy decides on it. It is recorded.',
      input: z.strictObject({
        connector: name,
        tool: z.string().min(1).max(256).describe('Its own name at the upstream.'),
        arguments: z.record(z.string(), z.unknown()).default({}),
        session: z.string().optional().describe('Whose workspace it gets; without it, the temporary directory.'),
      }),
      output: z.object({
        ok: z.boolean(),
        ms: z.int(),
        result: z.record(z.string(), z.unknown()).optional().describe('As the upstream sent it.'),
        error: z.string().optional(),
        stderr: z.string().optional().describe('The last lines that its program wrote there, without secrets.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      // The event of the call to the upstream has the arguments.
      unrecorded: ['arguments'],
      run: (asked, call) => connectors.callTool(asked, call),
    }),
    defineTool({
      name: 'log_out_connector',
      description: 'Forgets the login at the server of a connector. Its next use asks a person to log in again.',
      input: z.strictObject({ name }),
      output: connectorDetailSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async run(asked) {
        const record = await connectors.find(asked.name)
        connectors.logOut(asked.name)
        return views.detail(record)
      },
    }),
  ]
}
