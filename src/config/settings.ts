/**
 * All settings: their values, defaults, names and purposes. Defaults live here and nowhere else.
 * `docs/configuration.md` is generated from this file.
 */
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
  pathMap,
  postgresUrl,
  routeMap,
  secretText,
  slug,
  socketName,
  text,
  urlBase,
  urlPath,
  wholeNumber,
} from './setting-kinds.ts'
import type { SettingDefinition } from './setting.ts'
import { optionalSetting, setting } from './setting.ts'

const definitions = {
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
      'The address to listen on. Any address but loopback lets other machines try tokens against the hub. Use it with `SIGNALBOX_TLS_CERT`.',
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
    description: 'More names that the hub accepts in the `Host` header, such as the name of a reverse proxy.',
  }),
  allowedOrigins: setting(origins, [], {
    environment: 'SIGNALBOX_ALLOWED_ORIGINS',
    group: 'hub',
    flag: 'allowed-origins',
    description: "Origins whose pages may call the hub from a browser, besides the hub's own.",
  }),
  tlsCert: optionalSetting(absolutePath, {
    environment: 'SIGNALBOX_TLS_CERT',
    group: 'hub',
    description:
      'A PEM file with the certificate of the hub and its chain. With it, the hub serves https on its port. The hub reads it again when it changes.',
  }),
  tlsKey: optionalSetting(absolutePath, {
    environment: 'SIGNALBOX_TLS_KEY',
    group: 'hub',
    description: 'A PEM file with the key of that certificate, without a password.',
  }),
  databaseUrl: optionalSetting(postgresUrl, {
    environment: 'DATABASE_URL',
    group: 'hub',
    secret: true,
    description: 'A PostgreSQL database for all data, instead of SQLite files in the data directory.',
  }),
  logLevel: setting(oneOf('debug', 'info', 'warn', 'error'), 'info', {
    environment: 'SIGNALBOX_LOG_LEVEL',
    group: 'hub',
    flag: 'log-level',
    description: 'How much the hub logs to stderr. With `debug`, the CLI also shows the stack of an error.',
  }),
  drainGraceSeconds: setting(decimal({ min: 0 }), 10, {
    environment: 'SIGNALBOX_DRAIN_GRACE_SECONDS',
    group: 'hub',
    flag: 'drain-grace-seconds',
    description: 'How long calls may continue to run after the hub begins to stop.',
  }),

  maxBodyBytes: setting(wholeNumber({ min: 1024 }), 4 * 1024 * 1024, {
    environment: 'SIGNALBOX_MAX_BODY_BYTES',
    group: 'limits',
    description: 'The largest request body. The hub answers a larger one with 413.',
  }),
  maxConnectionsPerToken: setting(wholeNumber({ min: 1 }), 256, {
    environment: 'SIGNALBOX_MAX_CONNECTIONS_PER_TOKEN',
    group: 'limits',
    description: 'How many MCP connections one token may have at a time.',
  }),
  maxIdleConnectionsPerToken: setting(wholeNumber({ min: 1 }), 256, {
    environment: 'SIGNALBOX_MAX_IDLE_CONNECTIONS_PER_TOKEN',
    group: 'limits',
    description:
      'How many TCP connections of one token may wait for their next request. Above that, the hub closes the one that has waited longest.',
  }),
  maxSubscriptionsPerSession: setting(wholeNumber({ min: 1 }), 1_000, {
    environment: 'SIGNALBOX_MAX_SUBSCRIPTIONS_PER_SESSION',
    group: 'limits',
    description:
      'How many resources all clients of one session may follow together, and how many its agent may follow with its tools. For people the limit applies per token.',
  }),
  maxCallsPerToken: setting(wholeNumber({ min: 1 }), 256, {
    environment: 'SIGNALBOX_MAX_CALLS_PER_TOKEN',
    group: 'limits',
    description: 'How many calls one token may have in flight. The hub answers one more with the error −32005.',
  }),
  maxCallMembers: setting(wholeNumber({ min: 100 }), 10_000, {
    environment: 'SIGNALBOX_MAX_CALL_MEMBERS',
    group: 'limits',
    description: 'How many keys and array elements one message to the hub may have, at all depths.',
  }),
  upstreamListsMaxMb: setting(wholeNumber({ min: 1 }), 16, {
    environment: 'SIGNALBOX_UPSTREAM_LISTS_MAX_MB',
    group: 'limits',
    description:
      'How many MiB all lists of one upstream may have together. Entries above that are left out. Each key and each array element counts as 64 bytes more than its text.',
  }),
  connectionIdleHours: setting(decimal({ min: 0.01 }), 24, {
    environment: 'SIGNALBOX_CONNECTION_IDLE_HOURS',
    group: 'limits',
    description: 'The hub closes an MCP connection that was not used for this many hours.',
  }),

  eventsMaxAgeDays: setting(decimal({ min: 0.01 }), 30, {
    environment: 'SIGNALBOX_EVENTS_MAX_AGE_DAYS',
    group: 'events',
    description: 'The hub deletes events that are older than this many days.',
  }),
  eventsMaxMb: setting(wholeNumber({ min: 1 }), 1024, {
    environment: 'SIGNALBOX_EVENTS_MAX_MB',
    group: 'events',
    description: 'When the log grows beyond this many MiB, the hub deletes its oldest events.',
  }),
  eventSampling: setting(either(oneOf('off'), decimal({ min: 0, max: 1 })), 'off', {
    environment: 'SIGNALBOX_EVENT_SAMPLING',
    group: 'events',
    description:
      'The share of traces whose events keep the requests and responses of models, such as `0.1`. The events stay, with tokens, cost and outcome, and all other events are complete. With `off`, nothing is left out.',
  }),
  otlpEndpoint: optionalSetting(httpUrl, {
    environment: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    group: 'events',
    description:
      'The OpenTelemetry collector that gets all traces as spans, by OTLP over HTTP, such as `http://127.0.0.1:4318`. The hub adds `/v1/traces`. By default none are sent.',
  }),
  otlpTracesEndpoint: optionalSetting(httpUrl, {
    environment: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    group: 'events',
    description: 'The full URL for traces. It is used as it is, and wins.',
  }),
  otlpHeaders: optionalSetting(text, {
    environment: 'OTEL_EXPORTER_OTLP_HEADERS',
    group: 'events',
    secret: true,
    description: 'Headers for the collector, such as `api-key=…,tenant=…`, with percent-encoded values.',
  }),
  otlpTracesHeaders: optionalSetting(text, {
    environment: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    group: 'events',
    secret: true,
    description: 'More such headers, for traces only. They win.',
  }),
  otelServiceName: setting(text, 'signalbox', {
    environment: 'OTEL_SERVICE_NAME',
    group: 'events',
    description: 'The name of the hub in its spans.',
  }),
  otelSdkDisabled: setting(onOrOff, 'off', {
    environment: 'OTEL_SDK_DISABLED',
    group: 'events',
    description: 'Switches the export of spans off, even if a collector is set.',
  }),

  defaultTemplate: setting(slug, 'codex', {
    environment: 'SIGNALBOX_DEFAULT_TEMPLATE',
    group: 'sessions',
    description: 'The template for a session that names none.',
  }),
  sessionFollowBase: optionalSetting(urlBase, {
    environment: 'SIGNALBOX_SESSION_FOLLOW_BASE',
    group: 'sessions',
    description: "The start of a session's follow link. By default it is the hub's own origin.",
  }),
  sessionFollowPath: setting(urlPath, '/terminal/', {
    environment: 'SIGNALBOX_SESSION_FOLLOW_PATH',
    group: 'sessions',
    description: 'The path between that base and the name of the session.',
  }),
  journalMaxMb: setting(wholeNumber({ min: 16 }), 256, {
    environment: 'SIGNALBOX_JOURNAL_MAX_MB',
    group: 'sessions',
    description:
      'When the journal of a session grows beyond this many MiB, the hub deletes its oldest output and says so where it is read.',
  }),
  endedSessionsMaxAgeDays: optionalSetting(decimal({ min: 0.01 }), {
    environment: 'SIGNALBOX_ENDED_SESSIONS_MAX_AGE_DAYS',
    group: 'sessions',
    description:
      'The hub deletes sessions that ended this many days ago, with their output and threads but never their workspaces. It also deletes threads without a session that were imported or forked, and tokens that were revoked, this many days ago. By default it keeps them.',
  }),
  journalsMaxAgeDays: optionalSetting(decimal({ min: 0.01 }), {
    environment: 'SIGNALBOX_JOURNALS_MAX_AGE_DAYS',
    group: 'sessions',
    description:
      'The hub deletes the output of sessions that ended this many days ago. The sessions stay in the list. By default it keeps it.',
  }),
  jobConcurrency: setting(wholeNumber({ min: 1 }), 4, {
    environment: 'SIGNALBOX_JOB_CONCURRENCY',
    group: 'sessions',
    description: 'How many jobs run at a time. The others wait in the queue.',
  }),
  approvalHoldSeconds: optionalSetting(decimal({ min: 0 }), {
    environment: 'SIGNALBOX_APPROVAL_HOLD',
    group: 'sessions',
    description:
      'How many seconds a call waits for a person before the hub asks the agent to call again later. By default it is a little less than the timeout of the agent, or 50 for programs that the hub does not know.',
  }),
  approvalExpirySeconds: setting(decimal({ min: 0.1 }), 3600, {
    environment: 'SIGNALBOX_APPROVAL_EXPIRY',
    group: 'sessions',
    description: 'How many seconds a person has to answer such a call. After that it is denied.',
  }),
  endedApprovalsMaxMb: setting(wholeNumber({ min: 1 }), 64, {
    environment: 'SIGNALBOX_ENDED_APPROVALS_MAX_MB',
    group: 'limits',
    description:
      'When ended approvals take more than this many MiB, the hub deletes the oldest. Rejected and withdrawn proposals have the same limit.',
  }),
  notifyCommand: optionalSetting(text, {
    environment: 'SIGNALBOX_NOTIFY_COMMAND',
    group: 'sessions',
    description:
      'A shell command line. The hub runs it once for each call and each session that waits for a person, and writes the details as JSON to its stdin.',
  }),
  notifyUrl: optionalSetting(httpUrl, {
    environment: 'SIGNALBOX_NOTIFY_URL',
    group: 'sessions',
    secret: true,
    description: 'A URL to which the hub posts the same details, once, as JSON with a `text` that chat services show.',
  }),
  pushPrivateEndpoints: setting(onOrOff, 'off', {
    environment: 'SIGNALBOX_PUSH_PRIVATE_ENDPOINTS',
    group: 'sessions',
    description:
      'Whether push messages may go to a push service of your own, in a private network and without TLS. The services of browsers are on the internet.',
  }),
  sandbox: setting(oneOf('required', 'preferred', 'off'), 'preferred', {
    environment: 'SIGNALBOX_SANDBOX',
    group: 'sessions',
    description:
      'Whether sessions are [confined](guides/sandbox.md). `required`: every session, or it does not start. `preferred`: as its template says, and one of a shipped template also starts where sandboxes do not work. `off`: only those for which a person names a sandbox.',
  }),
  sharedMachine: setting(oneOf('auto', 'yes', 'no'), 'auto', {
    environment: 'SIGNALBOX_SHARED_MACHINE',
    group: 'sessions',
    description:
      "Whether other people use this machine. If they do, the hooks of Claude Code use the hub's socket and not its port, which costs a small process for each call. `auto` looks for other accounts and homes.",
  }),
  hopLimit: setting(wholeNumber({ min: 1 }), 3, {
    environment: 'SIGNALBOX_HOP_LIMIT',
    group: 'sessions',
    description: 'How many sessions may call one another in a chain.',
  }),

  model: optionalSetting(text, {
    environment: 'SIGNALBOX_MODEL',
    group: 'models',
    description:
      'The model of the built-in agent, as `provider/model` with the provider `openai`, `anthropic` or `google`, or the name of a model of the server at `SIGNALBOX_MODEL_BASE_URL`. By default it is a model of the first of these providers whose key is set (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY`).',
  }),
  modelBaseUrl: optionalSetting(urlBase, {
    environment: 'SIGNALBOX_MODEL_BASE_URL',
    group: 'models',
    description:
      'A server that speaks the Chat API of OpenAI, such as `http://127.0.0.1:11434/v1` of Ollama or `http://127.0.0.1:1234/v1` of LM Studio.',
  }),
  modelApiKey: optionalSetting(secretText, {
    environment: 'SIGNALBOX_MODEL_API_KEY',
    group: 'models',
    secret: true,
    description: 'The key of that server, if it wants one.',
    notInFile: 'keep it out of files; set SIGNALBOX_MODEL_API_KEY',
  }),
  modelContextTokens: optionalSetting(wholeNumber({ min: 2_000 }), {
    environment: 'SIGNALBOX_MODEL_CONTEXT_TOKENS',
    group: 'models',
    description:
      'How many tokens the model can read and write in one call. The built-in agent summarises a conversation before it grows beyond that. By default the hub uses what it knows of the provider, and 32000 for other servers.',
  }),
  embeddingsUrl: optionalSetting(urlBase, {
    environment: 'SIGNALBOX_EMBEDDINGS_URL',
    group: 'models',
    description:
      'A server with the embeddings API of OpenAI, such as `http://127.0.0.1:11434/v1`. With it, the search in repositories also finds what is meant and not only what is written. Texts of indexed repositories are sent to it.',
  }),
  embeddingsModel: optionalSetting(text, {
    environment: 'SIGNALBOX_EMBEDDINGS_MODEL',
    group: 'models',
    description: 'The model of the server at `SIGNALBOX_EMBEDDINGS_URL`.',
  }),
  embeddingsApiKey: optionalSetting(secretText, {
    environment: 'SIGNALBOX_EMBEDDINGS_API_KEY',
    group: 'models',
    secret: true,
    description: 'The key for the server at `SIGNALBOX_EMBEDDINGS_URL`, if it needs one.',
    notInFile: 'keep it out of files; set SIGNALBOX_EMBEDDINGS_API_KEY',
  }),
  routes: optionalSetting(routeMap, {
    environment: 'SIGNALBOX_ROUTES',
    group: 'models',
    description:
      'Who answers each action, see [route an action](guides/route-an-action.md). `set_routes` wins over it.',
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
  repositoryPathMap: setting(pathMap, [], {
    environment: 'SIGNALBOX_REPOSITORY_PATH_MAP',
    group: 'repositories',
    description:
      'For a hub in a container: which folders of the host it sees, and where. People name a repository by either path, and citations have the path on the host.',
  }),
  repositoryModel: setting(text, 'gpt-5.1-codex-max', {
    environment: 'SIGNALBOX_REPOSITORY_MODEL',
    group: 'repositories',
    description: 'The model that Codex answers with.',
  }),
  repositoryEffort: setting(oneOf('minimal', 'low', 'medium', 'high', 'xhigh'), 'high', {
    environment: 'SIGNALBOX_REPOSITORY_EFFORT',
    group: 'repositories',
    description: 'The reasoning effort of that model.',
  }),
  repositorySandbox: setting(oneOf('read-only', 'workspace-write', 'danger-full-access'), 'read-only', {
    environment: 'SIGNALBOX_REPOSITORY_SANDBOX',
    group: 'repositories',
    description: "Codex's sandbox while it answers.",
  }),
  repositoryApproval: setting(oneOf('untrusted', 'on-failure', 'on-request', 'never'), 'never', {
    environment: 'SIGNALBOX_REPOSITORY_APPROVAL',
    group: 'repositories',
    description:
      'When a person is asked before Codex acts, if no rule of the policy decides. With `never`, what would be asked is refused.',
  }),
  repositoryNetwork: setting(onOrOff, 'off', {
    environment: 'SIGNALBOX_REPOSITORY_NETWORK',
    group: 'repositories',
    description:
      'Whether commands may reach the network in the sandbox `workspace-write`. In `read-only` they never may.',
  }),
  repositoryWebSearch: setting(onOrOff, 'off', {
    environment: 'SIGNALBOX_REPOSITORY_WEB_SEARCH',
    group: 'repositories',
    description: 'Whether Codex may search the web.',
  }),
  repositoryMaxBodyBytes: setting(wholeNumber({ min: 1024 }), 256 * 1024, {
    environment: 'SIGNALBOX_REPOSITORY_MAX_BODY_BYTES',
    group: 'repositories',
    description: 'The largest request body on that port. The hub answers a larger one with 413.',
  }),
  repositoryMaxQueries: setting(wholeNumber({ min: 1 }), 2, {
    environment: 'SIGNALBOX_REPOSITORY_MAX_QUERIES',
    group: 'repositories',
    description: 'How many questions of one token Codex answers at a time.',
  }),
  repositoryQueriesPerMinute: setting(wholeNumber({ min: 1 }), 30, {
    environment: 'SIGNALBOX_REPOSITORY_QUERIES_PER_MINUTE',
    group: 'repositories',
    description: 'How many questions one token may ask in a minute.',
  }),

  url: optionalSetting(httpUrl, {
    environment: 'SIGNALBOX_URL',
    group: 'clients',
    description:
      'The endpoint to connect to, such as `http://127.0.0.1:7420/mcp`. By default it is the socket of the hub of the data directory.',
  }),
  token: optionalSetting(secretText, {
    environment: 'SIGNALBOX_TOKEN',
    group: 'clients',
    secret: true,
    description: 'The token to send to the hub. If it is set, the token file is never read.',
    notInFile: 'put the token into the file "token" beside it or into SIGNALBOX_TOKEN',
  }),
  hubSocket: optionalSetting(absolutePath, {
    environment: 'SIGNALBOX_HUB_SOCKET',
    group: 'clients',
    description:
      "The hub's unix socket. The hub sets it in sessions, so that `signalbox` sends its token there and not to the port.",
  }),
  mcpSocket: optionalSetting(absolutePath, {
    environment: 'SIGNALBOX_MCP_SOCKET',
    group: 'clients',
    description: "The unix socket of a session's MCP endpoint, for `signalbox relay`.",
  }),
  mcpSocketName: optionalSetting(socketName, {
    environment: 'SIGNALBOX_MCP_SOCKET_NAME',
    group: 'clients',
    description: 'The name of a socket. `signalbox new` gives it to the session, `signalbox relay` looks for it.',
  }),
} satisfies Readonly<Record<string, SettingDefinition>>

/** The configuration as the rest of the program sees it. */
export type Config = { readonly [Name in Exclude<SettingName, OptionalName>]: ValueOf<Name> } & {
  readonly [Name in OptionalName]?: ValueOf<Name>
}

type SettingName = keyof typeof definitions
type OptionalName = { [Name in SettingName]: undefined extends ValueOf<Name> ? Name : never }[SettingName]
type ValueOf<Name extends SettingName> =
  (typeof definitions)[Name] extends SettingDefinition<infer Value> ? Value : never

/** One row of the schema, with all its names. */
export interface Setting extends SettingDefinition {
  /** Its name in `Config`. */
  readonly property: keyof Config
  readonly key: string
}

export const settings: readonly Setting[] = Object.entries(definitions).map(([property, definition]) => ({
  ...definition,
  property: property as keyof Config,
  key: definition.environment.replace(/^SIGNALBOX_/, '').toLowerCase(),
}))
