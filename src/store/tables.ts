/**
 * The types of the tables that the migrations create. Ids and times (ISO 8601 UTC) are text and flags are 0 or 1 in both
 * engines, so that one query works in either.
 */

/** Data that people decided or own. A power cut does not lose a commit. */
export interface Tables {
  tokens: TokenRow
  login_codes: LoginCodeRow
  sessions: SessionRow
  worktrees: WorktreeRow
  mcp_connectors: ConnectorRow
  mcp_session_bindings: BindingRow
  mcp_known_lists: KnownListsRow
  mcp_connector_consents: ConnectorConsentRow
  policies: PolicyRow
  session_template_policies: SessionTemplatePolicyRow
  policy_proposals: PolicyProposalRow
  approvals: ApprovalRow
  approval_revisions: ApprovalRevisionRow
  grants: GrantRow
  mount_subscriptions: MountSubscriptionRow
  threads: ThreadRow
  thread_entries: ThreadEntryRow
  thread_progress: ThreadProgressRow
  turn_usage: TurnUsageRow
  turns: TurnRow
  routes: RouteRow
  chats: ChatRow
  chat_messages: ChatMessageRow
  chat_rooms: ChatRoomRow
  chat_room_events: ChatRoomEventRow
  repositories: RepositoryRow
  push_subscriptions: PushSubscriptionRow
}

export interface TokenRow {
  id: string
  role: string
  session: string | null
  label: string | null
  /** JSON: a list of names */
  toolsets: string | null
  /** SHA-256 of the token's secret in hex; the token itself is not stored */
  hash: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

/** A browser that the hub sends push messages to. */
export interface PushSubscriptionRow {
  id: string
  /** The hub with whose key the browser has subscribed. */
  hub_id: string
  endpoint: string
  public_key: string
  auth_secret: string
  label: string | null
  /** The token of the person who subscribed. */
  token_id: string
  created_at: string
  sent_at: string | null
  last_error: string | null
}

/** A folder that is indexed. */
export interface RepositoryRow {
  id: string
  /** The hub whose machine has the folder. */
  hub_id: string
  name: string
  /** Without symbolic links. */
  path: string
  /** Empty: the working tree is followed. */
  ref: string
  /** The workspace, as its sessions record it, if the folder is one. Null: a person added it. */
  workspace: string | null
  added_at: string
}

export interface LoginCodeRow {
  /** SHA-256 of the code in hex; the code itself is not stored */
  hash: string
  /** The id of the token that made it. */
  created_by: string
  created_at: string
  expires_at: string
}

/** A conversation with an agent. */
export interface ThreadRow {
  id: string
  /** The newest session that continues it. Null: none does. */
  session_id: string | null
  agent: string
  /** The id that the agent itself gave it. Null: no agent knows it yet. */
  conversation: string | null
  parent: string | null
  /** The key of the last entry that it shares with its parent. */
  fork_key: string | null
  label: string | null
  created_at: string
}

export interface ThreadEntryRow {
  thread_id: string
  seq: number
  key: string
  type: string
  at: string
  model: string | null
  /** JSON */
  body: string
}

/** How far the driver of a session has read the record of its agent. */
export interface ThreadProgressRow {
  session_id: string
  read_to: string
}

/** The tokens and cost of a turn that has ended. */
export interface TurnUsageRow {
  thread_id: string
  /** The key of the entry that ends the turn. */
  key: string
  session_id: string
  /** The name of the session. It may be gone. */
  session: string
  at: string
  input_tokens: number
  output_tokens: number
  /** Null: the cost is unknown. */
  cost_usd: number | null
}

/** A turn that has not ended. */
export interface TurnRow {
  id: string
  hub_id: string
  session_id: string
  /** JSON: a list of `{id, name}` */
  chain: string
  correlation: string
  /** the id of its event `turn-started` */
  event: string
  /** the end of the thread when the turn began */
  thread_id: string | null
  seq: number
  /** SHA-256 of the prompt in hex, if the turn can only end after this prompt in the thread */
  prompt: string | null
  started_at: string
}

/** The ways of an action, as a person set them. */
export interface RouteRow {
  action: string
  /** JSON: a list */
  ways: string
  safe_to_repeat: 0 | 1
  updated_at: string
}

/** The chat of a session. It has a row from its first message on. */
export interface ChatRow {
  session_id: string
  /** The id of the newest message. No message is ever removed, so it is also their number. */
  head: number
  /** The size of all messages. */
  bytes: number
  person_read_to: number
  agent_read_to: number
}

export interface ChatMessageRow {
  session_id: string
  id: number
  side: string
  /** The Matrix user who wrote it. Null: it was posted at the hub. */
  author: string | null
  mime: string
  content: string
  bytes: number
  created_at: string
  /** The message that it answers. */
  replies_to: number | null
  /** The message whose place it takes. */
  replaces: number | null
  /** The message that was removed. */
  removes: number | null
  /** 1: it was replaced or removed, and its content with it. */
  is_gone: number
}

/** The Matrix room that the chat of a session is bridged to. */
export interface ChatRoomRow {
  session_id: string
  homeserver: string
  /** An id or an alias, as the template has it. */
  room: string
  /** The name of the variable that holds the access token. The token itself is not stored. */
  token_env: string
  /** JSON: the users who may speak, as the template has them. */
  users: string
  /** The user who had invited the bridge when the session began. Null: not known, or not needed. */
  invited_by: string | null
  /** The sync token up to which the room was read. Null: not yet. */
  since: string | null
  /** The newest event before that token. */
  last_event: string | null
  /** The messages up to this id were sent to the room, or came from it. */
  sent_to: number
  /** The room was told that the agent has read up to this message. */
  receipt_to: number
}

/** Which event of the room is which message. */
export interface ChatRoomEventRow {
  session_id: string
  event_id: string
  message_id: number
}

/** A git worktree that a hub created. */
export interface WorktreeRow {
  hub_id: string
  path: string
  /** The git directory that all worktrees of the repository share. */
  repository: string
  /** The branch that the hub created for it. Null: the branch was there before. */
  branch: string | null
  template: string
  /** The set-up of the template has run, or there is none. */
  is_set_up: 0 | 1
  /** JSON. Null: a hub that did not record it made the worktree. */
  sandbox: string | null
  created_at: string
}

export interface SessionRow {
  id: string
  /** The hub that runs it. Several hubs may share one database. */
  hub_id: string
  name: string
  template: string
  command: string
  /** JSON: a list; null for a shell command line */
  args: string | null
  session_type: string
  /** The name of the driver that runs it. */
  driver: string
  /** terminal, structured or both */
  mode: string
  backend: string
  status: string
  /** A person asked to stop it. However it then ends, its status is "stopped". */
  is_stop_asked: 0 | 1
  description: string | null
  /** JSON: a list */
  labels: string
  workspace_path: string
  workspace_folder: string | null
  cols: number
  rows: number
  /** JSON: a list of names */
  terminal_tools: string
  /** JSON */
  terminal_settings: string
  socket_name: string | null
  /** The token of its program. */
  token_id: string | null
  /** Set if it waits or waited in the queue. */
  job_id: string | null
  priority: number
  exit_code: number | null
  exit_signal: string | null
  last_message: string | null
  /** JSON: its last activity */
  activity: string | null
  /** JSON: a list */
  agent_args: string
  /** Null: it has no conversation to resume. Empty: it has one, but only the agent knows its id. */
  conversation_id: string | null
  resumed_from: string | null
  /** The model of the built-in agent, if a person chose one. */
  model: string | null
  /** JSON: the sandbox that the request named. Null: that of the template. */
  sandbox: string | null
  /** JSON: how its program is confined. Null: not at all. */
  confined: string | null
  /** The prompt that a job gets when its turn comes. */
  prompt: string | null
  created_at: string
  started_at: string | null
  ended_at: string | null
  updated_at: string
}

export interface ConnectorRow {
  id: string
  name: string
  kind: string
  transport: string
  base_url: string | null
  cmd: string | null
  /** JSON: a list */
  args: string | null
  /** JSON: a list of names */
  env_keys: string
  /** JSON; secrets as references only */
  headers: string | null
  /** JSON */
  options: string
  strict: 0 | 1
  enabled: 0 | 1
  created_at: string
  updated_at: string
}

export interface ConnectorConsentRow {
  connector_id: string
  /** A hash of the command that was allowed. */
  program: string
  given_by: string
  given_at: string
}

export interface BindingRow {
  id: string
  session_id: string
  connector_id: string
  label: string
  transport_override: string | null
  endpoint_override: string | null
  cmd_override: string | null
  /** JSON, as all overrides of lists and maps */
  args_override: string | null
  env_keys_override: string | null
  headers_override: string | null
  options_override: string | null
  strict_override: 0 | 1 | null
  priority: number
  created_at: string
  updated_at: string
}

export interface KnownListsRow {
  connector_id: string
  /** Identifies the configuration under which the upstream sent the lists. */
  fingerprint: string
  /** JSON */
  lists: string
  updated_at: string
}

export interface PolicyRow {
  scope: string
  /** The template's name, or the session's id; empty for the hub. */
  target: string
  version: number
  /** The text as it was written; empty if it was removed. */
  source: string
  saved_at: string
  saved_by: string
}

export interface SessionTemplatePolicyRow {
  session_id: string
  origin: 'own' | 'shipped'
  /** null: the template states no policy */
  source: string | null
  seen_at: string
}

export interface PolicyProposalRow {
  id: string
  session_id: string
  rules: string
  why: string
  status: string
  created_at: string
  decided_at: string | null
  decided_by: string | null
  reason: string | null
}

export interface ApprovalRow {
  id: string
  /** The hub whose call waits for it. */
  hub_id: string
  session_id: string
  tool: string
  /** JSON, without the hidden parts */
  arguments: string
  arguments_bytes: number
  /** JSON: the part of the arguments that lists show; null: all of them */
  excerpt: string | null
  /** JSON: the places of the hidden parts */
  hidden: string
  digest: string
  rule: string | null
  /** The reason that the rule states. */
  rule_reason: string | null
  policy_version: string
  status: string
  correlation: string
  /** The event of the call that asked. */
  parent: string | null
  requested_at: string
  expires_at: string
  decided_at: string | null
  decided_by: string | null
  reason: string | null
  grant_id: string | null
  /** When the call received the answer. */
  told_at: string | null
  /** When the notify hooks received it. */
  notified_at: string | null
  /** One counter over all approvals, raised with each change. */
  revision: number
}

/** A single row. Its lock also orders the changes of all hubs. */
export interface ApprovalRevisionRow {
  id: number
  last: number
}

export interface GrantRow {
  id: string
  /** null: for all sessions */
  session_id: string | null
  tool: string
  /** JSON Schema on the arguments */
  condition: string | null
  approval_id: string
  created_at: string
  created_by: string
  revoked_at: string | null
  revoked_by: string | null
}

export interface MountSubscriptionRow {
  session_id: string
  mount: string
  uri: string
  created_at: string
}

/** Data that lets MCP connections survive a killed hub. A power cut may lose the last moments. */
export interface TransientTables {
  connections: ConnectionRow
  connection_subscriptions: ConnectionSubscriptionRow
  connection_changed_lists: ConnectionChangedListRow
  connection_streams: ConnectionStreamRow
  connection_stream_events: ConnectionStreamEventRow
}

export interface ConnectionRow {
  id: string
  /** The hub that serves it. Several hubs may share one database. */
  hub_id: string
  /** The id of the endpoint that opened it. */
  endpoint: string
  token_id: string
  protocol_version: string
  /** JSON */
  client_info: string
  /** JSON */
  client_capabilities: string
  /** JSON: a list of names */
  toolsets: string | null
  log_level: string | null
  created_at: string
  last_seen_at: string
}

export interface ConnectionSubscriptionRow {
  connection_id: string
  uri: string
  /** Whether a notice is still to be sent. */
  changed: 0 | 1
}

/** A notice of a changed list that is still to be sent. */
export interface ConnectionChangedListRow {
  connection_id: string
  list: string
}

export interface ConnectionStreamRow {
  connection_id: string
  id: string
  /** JSON of the JSON-RPC id the stream answers; null for the stream of notices */
  request_id: string | null
  state: 'open' | 'complete'
  updated_at: string
  /** JSON-RPC */
  answer_if_lost: string | null
}

export interface ConnectionStreamEventRow {
  connection_id: string
  stream_id: string
  seq: number
  /** JSON-RPC */
  message: string
}
