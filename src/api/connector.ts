/** A registered MCP server, and one session's use of it (API, "Connector", "Binding"). */
import { z } from 'zod'

export const transports = ['stdio', 'http', 'sse'] as const

/** In names that agents see there is one underscore between mount and tool, so a mount has none. */
export const mountSlug = z
  .string()
  .regex(/^[a-z0-9]{1,24}$/, 'a mount is named by 1 to 24 small letters and digits, such as "github"')

/** Those of the hub itself, in every compositor: no connector can take their place. */
export const ownMounts = ['terminal', 'sessions', 'resources', 'chat', 'loop', 'policy', 'repositories', 'hub'] as const

export const connectorName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a connector is named by small letters, digits and "-", such as "my-files"')

export const eras = ['auto', 'legacy', 'modern'] as const

/** Unknown ones are kept: other programs put theirs there, and an export gives them back. */
export const connectorOptions = z.looseObject({
  env: z.record(z.string(), z.string()).optional().describe('Variables that are no secret, as they are.'),
  cwd: z.string().optional(),
  era: z.enum(eras).optional().describe('Of the protocol; auto finds out.'),
  prefix: z.boolean().optional().describe('false: tools keep their names, where a session has this connector only.'),
  shared: z.boolean().optional().describe('One upstream for all sessions instead of one for each.'),
  handshake_ms: z.int().min(100).max(600_000).optional(),
  call_ms: z.int().min(100).max(86_400_000).optional().describe('A call that takes longer is cancelled.'),
  heartbeat_ms: z.int().min(1_000).max(3_600_000).optional().describe('A silent stream is opened anew after this.'),
  oauth: z
    .looseObject({
      client_id: z.string().min(1).optional().describe('Or the address of a metadata document that stands for one.'),
      client_secret: z.string().min(1).optional().describe('As ${VAR} only.'),
    })
    .optional()
    .describe('Whom to log in as, where the upstream wants a login and lets nobody register by themselves.'),
})
export type ConnectorOptions = z.output<typeof connectorOptions>

export const upstreamStates = ['stopped', 'initializing', 'running', 'failed'] as const

export const upstreamStatusSchema = z.object({
  is: z.enum(upstreamStates),
  reason: z.string().optional(),
  era: z.enum(['legacy', 'modern']).optional().describe('Of the last handshake that succeeded.'),
  version: z.string().optional().describe('The revision that was agreed upon then.'),
  retry_at: z.string().optional(),
  breach: z
    .object({ sentence: z.string(), at: z.string() })
    .optional()
    .describe('How it last broke the protocol; strict connectors only.'),
  warning: z.string().optional().describe('What of it is not shown to agents, and why.'),
})

/** Of one binding there is more to say. */
export const boundUpstreamSchema = upstreamStatusSchema.extend({
  stderr: z.string().optional().describe('The last lines that its program wrote there, without secrets.'),
  dropped: z.int().optional().describe('Answers that belonged to no request, or came twice: they reached nobody.'),
})

const onlyClients =
  'a connector is an MCP server that the hub calls, so it is "client" or left out; what the hub itself serves is at /mcp and needs no connector'

export const connectorSchema = z.object({
  name: connectorName,
  kind: z.literal('client', onlyClients).default('client'),
  transport: z.enum(transports),
  base_url: z.string().optional().describe('For http and sse. ${VAR} is filled in from the environment.'),
  cmd: z.string().optional().describe('For stdio: the program.'),
  args: z.array(z.string()).optional(),
  env_keys: z.array(z.string()).default([]).describe('Variables of the hub that the upstream gets, by name.'),
  headers: z.record(z.string(), z.string()).optional().describe('Secrets as ${VAR} only.'),
  options: connectorOptions.default({}),
  strict: z.boolean().default(true),
  enabled: z.boolean().default(true),
})
export type Connector = z.output<typeof connectorSchema>

/** One per field of the connector; what is absent is the connector's own. */
export const overridesSchema = z.strictObject({
  transport: z.enum(transports).optional(),
  endpoint: z.string().optional().describe('In place of base_url.'),
  cmd: z.string().optional(),
  args: z.array(z.string()).optional(),
  env_keys: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  options: connectorOptions.optional(),
  strict: z.boolean().optional(),
})
export type Overrides = z.output<typeof overridesSchema>

export const bindingSchema = z.object({
  session: z.string(),
  connector: z.string(),
  label: mountSlug.describe('The mount the agent sees: its tools are <label>_<tool>.'),
  overrides: overridesSchema,
  priority: z.int().describe('Of two mounts with the same resource the one with the higher number is read.'),
  resolved: z.record(z.string(), z.unknown()).optional().describe('What it comes to, without secrets.'),
  upstream: boundUpstreamSchema.optional(),
})
export type Binding = z.output<typeof bindingSchema>

/** A connector as a session is born with it: its name, or more. */
export const connectorUse = z.union([
  z.string(),
  z.strictObject({
    connector: z.string(),
    label: z.string().optional(),
    overrides: overridesSchema.optional(),
    priority: z.int().optional(),
  }),
])
export type ConnectorUse = z.output<typeof connectorUse>

/** How connectors were once given with each session. `id` is the name. */
export const legacyMcps = z.looseObject({ targets: z.array(z.looseObject({ id: z.string() })) })
export type LegacyMcps = z.output<typeof legacyMcps>
