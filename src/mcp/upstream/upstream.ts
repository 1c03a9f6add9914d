/**
 * One MCP server that we call: kept alive, restarted with backoff, given up with a reason that people see. Whatever it
 * says is passed on as it came.
 */
import type { Client, InputRequest, ProgressListener } from '../provider.ts'
import type { ClientCapabilities, Implementation } from '../sdk.ts'
import type { Params } from '../wire.ts'

/** How to reach it, with everything filled in. Only the resolver of connectors makes one. */
export interface UpstreamTarget {
  /** For people: which one this is. */
  readonly name: string
  readonly reach:
    | {
        readonly transport: 'stdio'
        readonly command: string
        readonly args: readonly string[]
        readonly env: Readonly<Record<string, string>>
        readonly cwd: string
      }
    | {
        readonly transport: 'http' | 'sse'
        readonly url: string
        readonly headers: Readonly<Record<string, string>>
        /** Whom we log in as; without it we register ourselves. */
        readonly oauthClient?: OAuthClient
      }
  readonly era: 'auto' | 'legacy' | 'modern'
  readonly strict: boolean
  readonly handshakeMs: number
  readonly callMs: number | undefined
  readonly heartbeatMs: number
}

export interface OAuthClient {
  readonly id: string
  readonly secret?: string
}

export interface UpstreamStatus {
  readonly is: 'stopped' | 'initializing' | 'running' | 'failed'
  readonly reason?: string
  /** When it is tried again, where it is. ISO 8601. */
  readonly retryAt?: string
}

/** What the upstream said of itself in the handshake, as it came. */
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

/** What people are shown of an upstream. */
export interface UpstreamFacts extends Pick<Upstream, 'status' | 'identity' | 'stderr' | 'breach' | 'dropped'> {
  /** What of it is not shown to agents, and why. */
  readonly warning?: string
}

export interface Upstream extends AsyncDisposable {
  readonly target: UpstreamTarget
  readonly status: UpstreamStatus
  /** Of the last handshake that succeeded. */
  readonly identity: UpstreamIdentity | undefined
  /** The last of what it said on stderr, redacted. */
  readonly stderr: string
  /** The last breach of the schema of its revision, over restarts; in strict mode only. */
  readonly breach: UpstreamBreach | undefined
  /** Answers that belonged to no request, or came twice, since it was made. They reach nobody. */
  readonly dropped: number
  /** Starts it where it does not run; resolves when it runs, rejects with why not. A circuit that is open rejects at once. */
  ready(signal?: AbortSignal): Promise<UpstreamIdentity>
  /**
   * Answers the result as it came, or throws an `RpcError` with code, message and data as they came. What cannot be
   * known to be unsent is not sent twice unless `isSafe`.
   */
  request(method: string, params: Params, options: UpstreamRequest): Promise<object>
  notify(method: string, params?: Params): Promise<void>
  /** A resource to be told of, over restarts, in either era. Once per URI, however many want it. */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** Starts it anew; calls that run fail. Closes an open circuit. */
  restart(): Promise<void>
}

export interface UpstreamRequest {
  readonly signal: AbortSignal
  /** Who asks: a modern upstream is told its capabilities and no others. */
  readonly client: Pick<Client, 'capabilities' | 'info'>
  /** Read-only or idempotent: may be sent again when nobody knows whether it arrived. */
  readonly isSafe: boolean
  /** Headers of 2026-07-28 beside those of every request: `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Params of `notifications/progress` as they came, without the token: only the caller knows its own. */
  readonly onProgress?: ProgressListener
  /** What else came with the answer: log lines, notifications nobody knows. */
  readonly onNotification?: (method: string, params: Params | undefined) => void
  /** The upstream asks its client something in the middle of this request. The signal: it no longer wants to know. */
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
  /** What belongs to no request. List changes and resource updates come here in either era. */
  notification(method: string, params: Params | undefined): void
  /** What the upstream asks while no request of ours runs that it could belong to. */
  ask(request: AnyRequest, signal: AbortSignal): Promise<object>
  /** A breach of the schema of its revision, in strict mode. */
  breach(sentence: string): void
}

/** What we say we can do, to an upstream that wants to know before anybody asks something. */
export const clientCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
}
