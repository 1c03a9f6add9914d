/** A registered MCP server, and one session's use of it (API, "Connector", "Binding"). */
import { z } from 'zod'
import { ownMount } from './own-tools.ts'
import { sandboxChoiceSchema } from './sandbox.ts'
import type { ToolFilter } from './tool-filter.ts'

export const transports = ['stdio', 'http', 'sse'] as const

/** In names that agents see, the first underscore separates mount and tool, so a mount has none. */
export const mountSlug = z
  .string()
  .regex(/^[a-z0-9]{1,24}$/, 'a mount name has 1 to 24 lowercase letters and digits, such as "github"')

/** The hub's own mounts in every compositor. No connector can take their names. */
export const ownMounts = [
  'terminal',
  'sessions',
  'resources',
  'chat',
  'loop',
  'policy',
  'repositories',
  'hub',
  ownMount,
] as const

export const connectorName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a connector name has lowercase letters, digits and "-", such as "my-files"')

const toolNames = z.array(z.string().min(1).max(256)).max(10_000)

export const eras = ['auto', 'legacy', 'modern'] as const

/** Unknown options are kept, because other programs store theirs here and an export must return them. */
export const connectorOptions = z.looseObject({
  env: z.record(z.string(), z.string()).optional().describe('Variables that are not secret.'),
  cwd: z.string().optional(),
  era: z.enum(eras).optional().describe('Of the protocol; auto detects it.'),
  prefix: z.boolean().optional().describe('false: tools keep their names if a session has only this connector.'),
  shared: z.boolean().optional().describe('One upstream for all sessions instead of one each.'),
  enabled_tools: toolNames.optional().describe('Agents get only these; own names of the upstream, * is any text.'),
  disabled_tools: toolNames.optional().describe('Agents get none of these.'),
  handshake_ms: z.int().min(100).max(600_000).optional(),
  call_ms: z.int().min(100).max(86_400_000).optional().describe('A call that takes longer is cancelled.'),
  heartbeat_ms: z.int().min(1_000).max(3_600_000).optional().describe('A silent stream is reopened after this.'),
  sandbox: sandboxChoiceSchema.optional().describe('For stdio: what its program may see and reach.'),
  oauth: z
    .looseObject({
      client_id: z.string().min(1).optional().describe('Or the URL of a client metadata document.'),
      client_secret: z.string().min(1).optional().describe('Only as ${VAR}.'),
    })
    .optional()
    .describe('The client to log in as, if the upstream wants a login but allows no registration.'),
})
export type ConnectorOptions = z.output<typeof connectorOptions>

export const upstreamStates = ['stopped', 'initializing', 'running', 'failed'] as const

export const upstreamStatusSchema = z.object({
  is: z.enum(upstreamStates),
  reason: z.string().optional(),
  era: z.enum(['legacy', 'modern']).optional().describe('Of the last handshake that succeeded.'),
  version: z.string().optional().describe('The revision agreed upon then.'),
  retry_at: z.string().optional(),
  breach: z
    .object({ sentence: z.string(), at: z.string() })
    .optional()
    .describe('How it last broke the protocol; strict connectors only.'),
  warning: z.string().optional().describe('Which parts agents do not see, and why.'),
})

/** The status of one binding has more fields. */
export const boundUpstreamSchema = upstreamStatusSchema.extend({
  stderr: z.string().optional().describe('The last lines its program wrote, without secrets.'),
  dropped: z.int().optional().describe('Answers that belonged to no request or came twice, and were dropped.'),
})

const outputLineSchema = z.object({
  at: z.string(),
  from: z.enum(['program', 'hub']).describe('program: its stderr. hub: what the hub did with it.'),
  text: z.string(),
})

const onlyClients =
  'a connector is an MCP server that the hub calls, so use "client" or leave it out. The hub\'s own server is at /mcp and needs no connector'

export const connectorSchema = z.object({
  name: connectorName,
  kind: z.literal('client', onlyClients).default('client'),
  transport: z.enum(transports),
  base_url: z.string().optional().describe('For http and sse. ${VAR} is taken from the environment.'),
  cmd: z.string().optional().describe('For stdio: the program.'),
  args: z.array(z.string()).optional(),
  env_keys: z.array(z.string()).default([]).describe('Names of variables of the hub that the upstream gets.'),
  headers: z.record(z.string(), z.string()).optional().describe('Secrets only as ${VAR}.'),
  options: connectorOptions.default({}),
  strict: z.boolean().default(true),
  enabled: z.boolean().default(true),
})
export type Connector = z.output<typeof connectorSchema>

const connectorVariableSchema = z.object({
  name: z.string(),
  state: z.enum(['set', 'missing', 'default']).describe('In the environment of the hub; default: it has one.'),
})
export type ConnectorVariable = z.output<typeof connectorVariableSchema>

const connectorLoginSchema = z.object({
  is: z.enum(['wanted', 'kept']),
  address: z.string().optional().describe('Where a person has to log in.'),
})

const connectorConsentSchema = z.object({
  is: z.enum(['wanted', 'given']),
  by: z.string().optional(),
  at: z.string().optional(),
})
export type ConnectorConsent = z.output<typeof connectorConsentSchema>

/** A connector as people see it. */
export const connectorViewSchema = connectorSchema.extend({
  upstream: upstreamStatusSchema.describe(
    'Of all its upstreams the one that is worst off; the breach is the last of all.',
  ),
  sessions: z.array(z.string()).describe('Those that are bound to it and have not ended.'),
  variables: z.array(connectorVariableSchema).describe('Those that it names.'),
  tools: z.array(z.string()).optional().describe('Those that agents get, as last listed.'),
  login: connectorLoginSchema.optional(),
  consent: connectorConsentSchema
    .optional()
    .describe(
      'Whether its program may run outside of the sandboxes of confined sessions. Absent: no session asks for it.',
    ),
})
export type ConnectorView = z.output<typeof connectorViewSchema>

const entries = z.array(z.record(z.string(), z.unknown()))

export const connectorDetailSchema = connectorViewSchema.extend({
  offers: z
    .object({ tools: entries, resources: entries, resource_templates: entries, prompts: entries })
    .optional()
    .describe('As the upstream last listed them.'),
  upstreams: z.array(
    boundUpstreamSchema.extend({
      session: z.string(),
      label: z.string(),
      output: z.object({ lines: z.array(outputLineSchema), total: z.int() }),
    }),
  ),
})
export type ConnectorDetail = z.output<typeof connectorDetailSchema>

/** One override per field of the connector. For an absent field, the connector's own value applies. */
export const overridesSchema = z.strictObject({
  transport: z.enum(transports).optional(),
  endpoint: z.string().optional().describe('Replaces base_url.'),
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
  label: mountSlug.describe('The mount that the agent sees. Its tools are <label>_<tool>.'),
  overrides: overridesSchema,
  priority: z.int().describe('If two mounts have the same resource, the higher number is read.'),
  resolved: z.record(z.string(), z.unknown()).optional().describe('The effective settings, without secrets.'),
  consent: connectorConsentSchema
    .optional()
    .describe('wanted: it does not start in this confined session until a person allows its program.'),
  upstream: boundUpstreamSchema.optional(),
})
export type Binding = z.output<typeof bindingSchema>

/** A session's use of a connector, as a mount of its compositor. */
export interface BoundConnector {
  /** The mount. */
  readonly label: string
  readonly priority: number
  readonly connectorId: string
  readonly connector: string
  readonly isEnabled: boolean
  /** One upstream for all sessions that are bound to the connector with the same settings. */
  readonly isShared: boolean
  /** If false, its tools keep their names, unless the session has other connectors. */
  readonly hasPrefix: boolean
  /** Without it, agents get all its tools. */
  readonly tools?: ToolFilter
}

/** A connector of a new session: its name, or its name with settings. */
export const connectorUse = z.union([
  z.string(),
  z.strictObject({
    connector: z.string(),
    label: z.string().optional(),
    // Listed without its fields, which are longer than the rest of create_session.
    overrides: z.record(z.string(), z.unknown()).pipe(overridesSchema).optional().describe('As in bind_connector.'),
    priority: z.int().optional(),
  }),
])
export type ConnectorUse = z.output<typeof connectorUse>

/** The older form of the connectors of a new session. `id` is the name. */
export const legacyMcps = z.looseObject({ targets: z.array(z.looseObject({ id: z.string() })) })
export type LegacyMcps = z.output<typeof legacyMcps>
