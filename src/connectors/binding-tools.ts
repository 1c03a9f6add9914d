/** bind_connector, unbind_connector, list_bindings */
import { z } from 'zod'
import { bindingSchema, overridesSchema } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import { type Tool, defineTool } from '../mcp/mcp.ts'
import type { ConnectorDesk } from './connector.ts'
import { pageInput, pageOf } from './page.ts'

const sessionArgument = z.string().min(1).max(200).describe('Name or id of the session; a name means the newest.')

export function createBindingTools(deps: {
  readonly connectors: Pick<ConnectorDesk, 'bind' | 'planBinding' | 'unbind' | 'describeBindings'>
}): readonly Tool[] {
  const { connectors } = deps

  async function labelOf(session: string, connector: string | undefined): Promise<string> {
    const bound = await connectors.describeBindings(session)
    const [only, ...others] = bound.filter((binding) => binding.connector === connector)
    if (only && others.length === 0) return only.label
    const labels = bound.map(({ label }) => label).join(', ') || 'none'
    throw new HubError('invalid', `"label": say which of the session's mounts; there are: ${labels}.`)
  }

  return [
    defineTool({
      name: 'list_bindings',
      description:
        'The connectors of a session: label, what it changes, what that comes to (without secrets), and its upstream with what that last wrote to stderr.',
      input: z.strictObject({ session: sessionArgument, ...pageInput }),
      output: z.object({ bindings: z.array(bindingSchema), next_cursor: z.string().optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ session, ...asked }) {
        const { items, next } = pageOf(await connectors.describeBindings(session), ({ label }) => label, asked)
        return { bindings: [...items], ...next }
      },
    }),
    defineTool({
      name: 'bind_connector',
      description:
        'Gives the agent of a session the tools of a connector, at once, as <label>_<tool>. The same connector and label again changes the binding. In a confined session this also allows the program of the connector to run outside of the sandbox.',
      input: z.strictObject({
        session: sessionArgument,
        connector: z.string(),
        label: z.string().optional().describe("The mount; without it, derived from the connector's name."),
        overrides: overridesSchema
          .optional()
          .describe('What is different for this session: maps are merged, lists replaced.'),
        priority: z
          .int()
          .optional()
          .describe('Of two mounts with the same resource the higher one is read; 0 by default.'),
        dry_run: z.boolean().default(false).describe('Only say what the binding would come to.'),
      }),
      output: bindingSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      unrecorded: ['overrides'],
      run: ({ session, connector, dry_run, ...options }, { caller }) =>
        dry_run
          ? connectors.planBinding(session, connector, options)
          : connectors.bind(session, connector, options, caller.label ?? `token ${caller.tokenId}`),
    }),
    defineTool({
      name: 'unbind_connector',
      description: 'Takes the tools of a connector away from a session, at once.',
      input: z.strictObject({
        session: sessionArgument,
        label: z.string().optional().describe('As in list_bindings.'),
        connector: z.string().optional().describe('Instead of the label, where it is bound once.'),
      }),
      output: bindingSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async ({ session, label, connector }) =>
        connectors.unbind(session, label ?? (await labelOf(session, connector))),
    }),
  ]
}
