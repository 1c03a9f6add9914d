/**
 * One MCP server that we call. It is supervised: restarted with backoff, and given up with a reason that people can
 * see. Its messages are passed on unchanged.
 */
import type { Sandbox } from '../api/sandbox.ts'
import type { Client, Implementation, InputRequest, LoggingLevel, Params, ProgressListener } from '../mcp/mcp.ts'

/** How to reach the upstream, with every setting resolved. Only the connector resolver creates one. */
export interface UpstreamTarget {
  /** The name that people see. */
  readonly name: string
  readonly reach:
    | {
        readonly transport: 'stdio'
        readonly command: string
        readonly args: readonly string[]
        readonly env: Readonly<Record<string, string>>
        readonly cwd: string
        /** The workspace that it gets, as a root where no client can be asked. `undefined`: several sessions share it. */
        readonly workspace?: string
        readonly confined?: ConfinedReach
      }
    | {
        readonly transport: 'http' | 'sse'
        readonly url: string
        readonly headers: Readonly<Record<string, string>>
        /** The OAuth client to log in as. Without it the hub registers itself. */
        readonly oauthClient?: OAuthClient
      }
  readonly era: 'auto' | 'legacy' | 'modern'
  /** The era to try first if `era` is `auto`. Without it the transport decides. */
  readonly preferredEra?: 'legacy' | 'modern'
  readonly strict: boolean
  readonly handshakeMs: number
  readonly callMs: number | undefined
  readonly heartbeatMs: number
}

export interface ConfinedReach {
  readonly sandbox: Sandbox
  /** `undefined`: it belongs to no session, so it has no workspace. */
  readonly session?: string
  readonly workspace?: string
}

export interface OAuthClient {
  readonly id: string
  readonly secret?: string
}

export interface UpstreamStatus {
  readonly is: 'stopped' | 'initializing' | 'running' | 'failed'
  readonly reason?: string
  /** The time of the next attempt, if there is one. ISO 8601. */
  readonly retryAt?: string
}

/** The upstream's description of itself in the handshake, unchanged. */
export interface UpstreamIdentity {
  readonly era: 'legacy' | 'modern'
  readonly version: string
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly info?: Implementation
  readonly instructions?: string
}

export interface UpstreamBreach {
  readonly sentence: string
  /** ISO 8601. */
  readonly at: string
}

export interface OutputLine {
  /** ISO 8601. */
  readonly at: string
  /** `program`: from its stderr. `hub`: an action of the hub, such as another attempt. */
  readonly from: 'program' | 'hub'
  readonly text: string
}

export interface UpstreamOutput {
  /** The last ones, without secrets. */
  readonly lines: readonly OutputLine[]
  /** How many there were in all. */
  readonly total: number
}

/** The facts about an upstream that people can see. */
export interface UpstreamFacts extends Pick<
  Upstream,
  'status' | 'identity' | 'stderr' | 'output' | 'breach' | 'dropped'
> {
  /** Why agents do not see some of its entries. */
  readonly warning?: string
  /** The resources and templates that it lists now, unchanged. */
  readonly resources?: readonly object[]
  readonly resourceTemplates?: readonly object[]
}

export interface Upstream extends AsyncDisposable {
  readonly target: UpstreamTarget
  readonly status: UpstreamStatus
  /** From the last successful handshake. */
  readonly identity: UpstreamIdentity | undefined
  /** The end of its stderr, redacted. */
  readonly stderr: string
  /** The end of its output over all restarts. */
  readonly output: UpstreamOutput
  /** The last breach of the schema of its revision, kept across restarts. Strict mode only. */
  readonly breach: UpstreamBreach | undefined
  /** How many answers matched no request or came twice since the upstream was created. They are dropped. */
  readonly dropped: number
  /**
   * Starts the upstream if needed. Resolves when it runs, rejects with the reason. Rejects at once while the circuit is
   * open.
   */
  ready(signal?: AbortSignal): Promise<UpstreamIdentity>
  /**
   * Returns the result unchanged, or throws an `RpcError` with the upstream's code, message and data. A request that
   * may have been sent is sent again only if `isSafe`.
   */
  request(method: string, params: Params, options: UpstreamRequest): Promise<object>
  notify(method: string, params?: Params, era?: Client['era']): Promise<void>
  /** Subscribes to a resource, across restarts and in either era. Subscribing twice has the same effect as once. */
  subscribe(uri: string, era?: Client['era']): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** Legacy upstreams get the level now and after each start, modern ones with each request. */
  setLogLevel(level: LoggingLevel): void
  /** Starts the upstream again. Running calls fail. Closes an open circuit. */
  restart(): Promise<void>
}

export interface UpstreamRequest {
  readonly signal: AbortSignal
  /**
   * The client of this request. A modern upstream gets its capabilities and no others. An upstream that speaks both
   * eras answers in the client's era; the hub's own requests have no era.
   */
  readonly client: Pick<Client, 'capabilities' | 'info'> & Partial<Pick<Client, 'era'>>
  /** Read-only or idempotent: may be sent again if it is unknown whether it arrived. */
  readonly isSafe: boolean
  /** More 2026-07-28 headers for this request: `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Receives the params of `notifications/progress`, unchanged but without the token: each caller has its own. */
  readonly onProgress?: ProgressListener
  /** Receives other messages that come with the answer: log lines and unknown notifications. */
  readonly onNotification?: (method: string, params: Params | undefined) => void
  /**
   * The upstream sends its client a request in the middle of this one. The signal aborts when it withdraws that
   * request.
   */
  readonly onAsk?: (
    request: InputRequest | AnyRequest,
    signal: AbortSignal,
    onProgress?: ProgressListener,
  ) => Promise<object>
}

export interface AnyRequest {
  readonly method: string
  readonly params?: Params
}

export interface UpstreamListener {
  status(status: UpstreamStatus): void
  /** Notifications that belong to no request. List changes and resource updates come here in both eras. */
  notification(method: string, params: Params | undefined): void
  /** A request from the upstream that belongs to none of our running requests. */
  ask(request: AnyRequest, signal: AbortSignal): Promise<object>
  /** Several sessions use the upstream or have used it, so a message that names no request may belong to any of them. */
  isShared?(): boolean
  /** A breach of the schema of its revision, in strict mode. */
  breach(sentence: string): void
  /** There is a new line in `output`. */
  output?(): void
}
