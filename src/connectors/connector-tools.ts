/** list_connectors, save_connector, allow_connector, delete_connector, test_connector, restart_connector */
import { z } from 'zod'
import { bindingSchema, connectorSchema, connectorViewSchema } from '../api/connector.ts'
import { confinedSchema } from '../api/sandbox.ts'
import { HubError } from '../base/hub-error.ts'
import type { Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { ConnectorViews } from './connector-views.ts'
import type { ConnectorDesk } from './connector.ts'
import { pageInput, pageOf } from './page.ts'

/** Fields in which a person may write a secret by mistake. The tool refuses it, and the log must not record it. */
const mayHoldSecrets = ['base_url', 'cmd', 'args', 'env_keys', 'headers', 'options'] as const

const offered = z.object({ count: z.int(), names: z.array(z.string()) })

const outcomeSchema = z.object({
  ok: z.boolean(),
  ms: z.int().describe('From its start to its last answer.'),
  era: z.enum(['legacy', 'modern']).optional(),
  version: z.string().optional(),
  server: z.object({ name: z.string(), version: z.string() }).optional(),
  tools: offered.optional(),
  resources: offered.optional(),
  prompts: offered.optional(),
  missing: z.array(z.string()).describe('Variables that are not set in the environment of the hub.'),
  resolved: z.record(z.string(), z.unknown()).describe('What it comes to, without secrets.'),
  error: z.string().optional(),
  stderr: z.string().optional().describe('The last lines that its program wrote there, without secrets.'),
  cwd: z.string().optional().describe('Where its program ran.'),
  workspace: z.string().optional().describe('That it got: not that of a session, unless one was named.'),
  confined: confinedSchema.optional().describe('How its program is confined.'),
})

export function createConnectorTools(deps: {
  readonly connectors: Pick<ConnectorDesk, 'list' | 'find' | 'save' | 'delete' | 'tryOut' | 'restart' | 'allow'>
  readonly views: ConnectorViews
}): readonly Tool[] {
  const { connectors, views } = deps
  return [
    defineTool({
      name: 'list_connectors',
      description: 'The MCP servers that sessions may be bound to, how each is reached, and how its upstreams are.',
      input: z.strictObject(pageInput),
      output: z.object({ connectors: z.array(connectorViewSchema), next_cursor: z.string().optional() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run(asked) {
        const { items, next } = pageOf(await connectors.list(), ({ connector }) => connector.name, asked)
        return { connectors: await Promise.all(items.map((record) => views.connector(record))), ...next }
      },
    }),
    defineTool({
      name: 'save_connector',
      description:
        'Registers an MCP server, or changes the one of that name as a whole. Secrets are written as ${VAR} in headers and args, or named in env_keys, and taken from the environment of the hub. {workspace}, {session_id} and {session_name} are filled in for each session.',
      input: connectorSchema.strict(),
      output: connectorViewSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      unrecorded: mayHoldSecrets,
      run: async (connector) => views.connector(await connectors.save(connector)),
    }),
    defineTool({
      name: 'allow_connector',
      description:
        'Allows the program of a connector to run outside of the sandboxes of confined sessions, as your user, or takes that back. It holds until its command, variables or directory change. A connector with options.sandbox, or with an address, needs no consent.',
      input: z.strictObject({ name: z.string(), allowed: z.boolean().default(true) }),
      output: connectorViewSchema,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async run({ name, allowed }, { caller }) {
        await connectors.allow(name, allowed, caller.label ?? `token ${caller.tokenId}`)
        return views.connector(await connectors.find(name))
      },
    }),
    defineTool({
      name: 'delete_connector',
      description: 'Forgets a connector. Sessions that are bound to it lose its tools at once.',
      input: z.strictObject({ name: z.string() }),
      output: connectorViewSchema
        .omit({ variables: true, tools: true, login: true, consent: true })
        .extend({ sessions: z.array(z.string()).describe('Those that lost it.') }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ name }) {
        const { connector } = await connectors.find(name)
        const sessions = await connectors.delete(name)
        const lost = [...new Set(sessions.map((session) => session.name))]
        return { ...connector, upstream: { is: 'stopped' as const }, sessions: lost }
      },
    }),
    defineTool({
      name: 'test_connector',
      description:
        'Starts or reaches an MCP server, asks what it offers, and ends it: whether it works, its tools, its era, the time it takes, what is missing. Takes the name of a connector, or one that is not saved yet. Keeps the lists of one that is saved, to show them to agents while it starts.',
      input: z.strictObject({
        name: z.string().optional().describe('Of a connector that is saved.'),
        connector: connectorSchema.partial({ name: true }).strict().optional().describe('One that is not.'),
        session: z.string().optional().describe('Whose workspace it gets; without it, the temporary directory.'),
      }),
      output: outcomeSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      unrecorded: ['connector'],
      async run({ name, connector, session }, { signal }) {
        if ((name === undefined) === (connector === undefined)) {
          throw new HubError(
            'invalid',
            'Give either "name", of a connector that is saved, or "connector", one that is not.',
          )
        }
        const what = name === undefined ? { connector: { name: 'unnamed', ...connector } } : { name }
        const { tools, resources, prompts, missing, ...outcome } = await connectors.tryOut(what, { session, signal })
        return {
          ...outcome,
          missing: [...missing],
          ...(tools && { tools: counted(tools) }),
          ...(resources && { resources: counted(resources) }),
          ...(prompts && { prompts: counted(prompts) }),
        }
      },
    }),
    defineTool({
      name: 'restart_connector',
      description:
        'Restarts the upstreams of a connector, in all sessions or in one, also those that were given up. Calls that run on them fail. Answers the bindings concerned, and how each upstream is then.',
      input: z.strictObject({
        name: z.string(),
        session: z.string().optional().describe('Its name or id; without it, in all sessions.'),
      }),
      output: z.object({ name: z.string(), bindings: z.array(bindingSchema) }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      run: async ({ name, session }) => ({ name, bindings: [...(await connectors.restart(name, session))] }),
    }),
  ]
}

function counted(names: readonly string[]): z.input<typeof offered> {
  return { count: names.length, names: [...names] }
}
