/**
 * Every setting there is: what it may hold, its default, its names and what it is for. Defaults live here and nowhere
 * else; `docs/configuration.md` is written from this file.
 */
import { z } from 'zod'
import {
  absolutePath,
  decimal,
  directory,
  either,
  hostAddress,
  hostNames,
  httpUrl,
  onOrOff,
  oneOf,
  origins,
  postgresUrl,
  secretText,
  slug,
  socketName,
  text,
  urlBase,
  urlPath,
  wholeNumber,
} from './setting-kinds.ts'
import type { Kind } from './setting-kinds.ts'

export const settingGroups = {
  hub: 'The hub',
  limits: 'Limits',
  events: 'Event log',
  sessions: 'Sessions',
  repositories: 'Answers about repositories',
  clients: 'For the CLI and for agents',
} as const

export interface SettingNotes {
  /** The name in config.yaml is the same without `SIGNALBOX_`, in small letters. */
  readonly environment: string
  readonly group: keyof typeof settingGroups
  readonly description: string
  /** A flag of `signalbox up`, without the dashes. Only what people change from one start to the next. */
  readonly flag?: string
  /** Never shown, and never a flag: flags stand in the process list. */
  readonly secret?: boolean
  /** May not stand in config.yaml, for this reason. */
  readonly notInFile?: string
}

const notesOf = z.registry<SettingNotes & { takes: string }>()

export const configSchema = z.object({
  home: setting(directory, '~/.signalbox', {
    environment: 'SIGNALBOX_HOME',
    group: 'hub',
    flag: 'home',
    description: 'The data directory: database, event log, token file and `config.yaml`. Only its owner may enter it.',
    notInFile: 'it says where config.yaml is; use the flag --home or SIGNALBOX_HOME',
  }),
  host: setting(hostAddress, '127.0.0.1', {
    environment: 'SIGNALBOX_HOST',
    group: 'hub',
    flag: 'host',
    description:
      'The address to listen on. Anything but loopback lets other machines try tokens against the hub, without TLS.',
  }),
  port: setting(wholeNumber({ min: 0, max: 65535, note: '`0` takes any free port' }), 7420, {
    environment: 'SIGNALBOX_PORT',
    group: 'hub',
    flag: 'port',
    description: 'The port of the page and of `/mcp`.',
  }),
  allowedHosts: setting(hostNames, [], {
    environment: 'SIGNALBOX_ALLOWED_HOSTS',
    group: 'hub',
    flag: 'allowed-hosts',
    description: 'More names the hub answers to in the `Host` header, such as that of a reverse proxy.',
  }),
  allowedOrigins: setting(origins, [], {
    environment: 'SIGNALBOX_ALLOWED_ORIGINS',
    group: 'hub',
    flag: 'allowed-origins',
    description: 'Origins whose pages may call the hub from a browser, besides its own.',
  }),
  databaseUrl: optionalSetting(postgresUrl, {
    environment: 'DATABASE_URL',
    group: 'hub',
    secret: true,
    description: 'A PostgreSQL database to keep everything in, instead of SQLite files in the data directory.',
  }),
  logLevel: setting(oneOf('debug', 'info', 'warn', 'error'), 'info', {
    environment: 'SIGNALBOX_LOG_LEVEL',
    group: 'hub',
    flag: 'log-level',
    description: 'How much the hub says on stderr. With `debug`, the CLI shows where an error came from.',
  }),
  drainGraceSeconds: setting(decimal({ min: 0 }), 10, {
    environment: 'SIGNALBOX_DRAIN_GRACE_SECONDS',
    group: 'hub',
    flag: 'drain-grace-seconds',
    description: 'How long running calls may go on after the hub was told to stop.',
  }),

  maxBodyBytes: setting(wholeNumber({ min: 1024 }), 4 * 1024 * 1024, {
    environment: 'SIGNALBOX_MAX_BODY_BYTES',
    group: 'limits',
    description: 'The largest request body; a larger one is answered with 413.',
  }),
  maxConnectionsPerToken: setting(wholeNumber({ min: 1 }), 256, {
    environment: 'SIGNALBOX_MAX_CONNECTIONS_PER_TOKEN',
    group: 'limits',
    description: 'How many MCP connections one token may hold at a time.',
  }),
  connectionIdleHours: setting(decimal({ min: 0.01 }), 24, {
    environment: 'SIGNALBOX_CONNECTION_IDLE_HOURS',
    group: 'limits',
    description: 'A connection that nobody used for so long is forgotten.',
  }),

  eventsMaxAgeDays: setting(decimal({ min: 0.01 }), 30, {
    environment: 'SIGNALBOX_EVENTS_MAX_AGE_DAYS',
    group: 'events',
    description: 'Events older than this are dropped.',
  }),
  eventsMaxMb: setting(wholeNumber({ min: 1 }), 1024, {
    environment: 'SIGNALBOX_EVENTS_MAX_MB',
    group: 'events',
    description: 'When the log grows beyond this many MiB, its oldest events are dropped.',
  }),

  defaultTemplate: setting(slug, 'codex', {
    environment: 'SIGNALBOX_DEFAULT_TEMPLATE',
    group: 'sessions',
    description: 'The template of a session that names none.',
  }),
  sessionFollowBase: optionalSetting(urlBase, {
    environment: 'SIGNALBOX_SESSION_FOLLOW_BASE',
    group: 'sessions',
    description: "What a session's follow link begins with; without it the hub's own origin.",
  }),
  sessionFollowPath: setting(urlPath, '/terminal/', {
    environment: 'SIGNALBOX_SESSION_FOLLOW_PATH',
    group: 'sessions',
    description: 'What stands between that base and the name of the session.',
  }),
  journalMaxMb: setting(wholeNumber({ min: 16 }), 256, {
    environment: 'SIGNALBOX_JOURNAL_MAX_MB',
    group: 'sessions',
    description:
      'When the journal of a session grows beyond this many MiB, its oldest output is dropped, and this is told.',
  }),
  jobConcurrency: setting(wholeNumber({ min: 1 }), 4, {
    environment: 'SIGNALBOX_JOB_CONCURRENCY',
    group: 'sessions',
    description: 'How many one-off jobs run at a time; the others wait their turn.',
  }),
  approvalHoldSeconds: setting(decimal({ min: 0 }), 50, {
    environment: 'SIGNALBOX_APPROVAL_HOLD',
    group: 'sessions',
    description: 'Seconds a call waits for a person before its caller is told to come back.',
  }),
  approvalExpirySeconds: setting(decimal({ min: 0.1 }), 3600, {
    environment: 'SIGNALBOX_APPROVAL_EXPIRY',
    group: 'sessions',
    description: 'Seconds a person has to answer such a call; after that it is denied.',
  }),
  notifyCommand: optionalSetting(text, {
    environment: 'SIGNALBOX_NOTIFY_COMMAND',
    group: 'sessions',
    description:
      'A line for the shell that is run once for each call, and each session, that waits for a person; what it is about is on its stdin, as JSON.',
  }),
  notifyUrl: optionalSetting(httpUrl, {
    environment: 'SIGNALBOX_NOTIFY_URL',
    group: 'sessions',
    secret: true,
    description: 'Where the same is posted to, once, as JSON with a `text` that chat services show.',
  }),
  hopLimit: setting(wholeNumber({ min: 1 }), 3, {
    environment: 'SIGNALBOX_HOP_LIMIT',
    group: 'sessions',
    description: 'How many sessions may call one another in a chain.',
  }),

  repositoryMcpPort: setting(
    either(oneOf('off'), wholeNumber({ min: 0, max: 65535, note: '`0` takes any free port' })),
    5011,
    {
      environment: 'SIGNALBOX_REPOSITORY_MCP_PORT',
      group: 'repositories',
      flag: 'repository-mcp-port',
      description: 'The port of the MCP endpoint that answers questions about repositories.',
    },
  ),
  repositoryModel: setting(text, 'gpt-5.1-codex-max', {
    environment: 'SIGNALBOX_REPOSITORY_MODEL',
    group: 'repositories',
    description: 'The model Codex answers with.',
  }),
  repositoryEffort: setting(oneOf('minimal', 'low', 'medium', 'high', 'xhigh'), 'high', {
    environment: 'SIGNALBOX_REPOSITORY_EFFORT',
    group: 'repositories',
    description: 'How hard it thinks.',
  }),
  repositorySandbox: setting(oneOf('read-only', 'workspace-write', 'danger-full-access'), 'read-only', {
    environment: 'SIGNALBOX_REPOSITORY_SANDBOX',
    group: 'repositories',
    description: "Codex's sandbox while it answers.",
  }),
  repositoryApproval: setting(oneOf('untrusted', 'on-failure', 'on-request', 'never'), 'never', {
    environment: 'SIGNALBOX_REPOSITORY_APPROVAL',
    group: 'repositories',
    description: 'When Codex asks before it acts. Nobody is there to answer, hence `never`.',
  }),
  repositoryNetwork: setting(onOrOff, 'off', {
    environment: 'SIGNALBOX_REPOSITORY_NETWORK',
    group: 'repositories',
    description: "Whether Codex's sandbox reaches the network.",
  }),
  repositoryWebSearch: setting(onOrOff, 'off', {
    environment: 'SIGNALBOX_REPOSITORY_WEB_SEARCH',
    group: 'repositories',
    description: 'Whether Codex may search the web.',
  }),

  url: optionalSetting(httpUrl, {
    environment: 'SIGNALBOX_URL',
    group: 'clients',
    description: 'The endpoint to talk to, such as `http://127.0.0.1:7420/mcp`; without it that of the running hub.',
  }),
  token: optionalSetting(secretText, {
    environment: 'SIGNALBOX_TOKEN',
    group: 'clients',
    secret: true,
    description: 'The token to show to the hub. Where it is set, the token file is never read.',
    notInFile: 'tokens stand in the file "token" beside it or in SIGNALBOX_TOKEN',
  }),
  mcpSocket: optionalSetting(absolutePath, {
    environment: 'SIGNALBOX_MCP_SOCKET',
    group: 'clients',
    description: "The unix socket of a session's MCP endpoint, for `signalbox relay`.",
  }),
  mcpSocketName: optionalSetting(socketName, {
    environment: 'SIGNALBOX_MCP_SOCKET_NAME',
    group: 'clients',
    description: "A socket's name: `signalbox new` gives it to the session, `signalbox relay` looks for it.",
  }),
})

/** What the rest of the program sees. */
export type Config = Readonly<z.output<typeof configSchema>>

/** One row of the schema, by all its names. */
export interface Setting extends SettingNotes {
  /** Its name in `Config`. */
  readonly property: string
  readonly key: string
  readonly takes: string
  /** As one would write it; absent where there is none. */
  readonly defaultValue?: string | number | boolean | readonly string[]
}

export const settings: readonly Setting[] = Object.entries(configSchema.shape).map(([property, schema]) => {
  const notes = notesOf.get(schema)!
  return {
    ...notes,
    property,
    key: notes.environment.replace(/^SIGNALBOX_/, '').toLowerCase(),
    ...('defaultValue' in schema.def && { defaultValue: schema.def.defaultValue }),
  }
})

function setting<Schema extends z.ZodType>(kind: Kind<Schema>, fallback: z.input<Schema>, notes: SettingNotes) {
  // Prefaulted, not defaulted: a default is read like any other value, so that "~" is expanded in it too.
  return noted(z.prefault(kind.schema, fallback), kind, notes)
}

function optionalSetting<Schema extends z.ZodType>(kind: Kind<Schema>, notes: SettingNotes) {
  return noted(z.optional(kind.schema), kind, notes)
}

function noted<Schema extends z.ZodType>(schema: Schema, kind: Kind, notes: SettingNotes): Schema {
  notesOf.add(schema, { ...notes, takes: kind.takes })
  return schema
}
