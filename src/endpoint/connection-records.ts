/**
 * The part of a legacy connection that is stored, so that it survives a restart of the hub. `connections/` stores it.
 */
import type {
  ClientCapabilities,
  Implementation,
  ListName,
  LoggingLevel,
  RequestId,
  RpcMessage,
  RpcResponse,
  Topic,
} from '../mcp/mcp.ts'

export interface ConnectionRecord {
  readonly id: string
  readonly tokenId: string
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly info?: Implementation
  readonly toolsets?: readonly string[]
  readonly logLevel?: LoggingLevel
  readonly lastSeenAt: Date
  readonly subscriptions: readonly string[]
  /** The subscriptions that changed while the client had no open stream. */
  readonly changed: readonly string[]
  readonly changedLists: readonly ListName[]
}

export interface StoredEvent {
  readonly seq: number
  /** `undefined` for an event that only has an id. */
  readonly message: RpcMessage | undefined
}

export interface StoredStream {
  readonly isComplete: boolean
  readonly nextSeq: number
  /** In order. The oldest may have been pruned. */
  readonly events: readonly StoredEvent[]
}

export interface UnansweredStream {
  readonly id: string
  readonly streamId: string
  readonly requestId: RequestId
  readonly nextSeq: number
  readonly answer?: RpcResponse
}

export interface ConnectionRecords {
  /** The id of the endpoint whose connections these are. No other endpoint finds them. */
  readonly endpoint: string
  all(): Promise<readonly ConnectionRecord[]>
  find(id: string): Promise<ConnectionRecord | undefined>
  create(record: ConnectionRecord): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  setLogLevel(id: string, level: LoggingLevel): Promise<void>
  setLastSeen(seen: ReadonlyMap<string, Date>): Promise<void>
  subscribe(id: string, uri: string): Promise<void>
  unsubscribe(id: string, uri: string): Promise<void>
  markChanged(id: string, topics: readonly Topic[]): Promise<void>
  openStream(id: string, streamId: string, requestId?: RequestId): Promise<void>
  /** Writes the events and removes `delivered` from the changed topics, in one transaction. */
  append(id: string, streamId: string, events: readonly StoredEvent[], delivered?: readonly Topic[]): Promise<void>
  completeStream(id: string, streamId: string): Promise<void>
  /** The answer that `unanswered` returns for the request if the hub dies before it answers. */
  setAnswerIfLost(id: string, streamId: string, response: RpcResponse | undefined): Promise<void>
  readStream(id: string, streamId: string, afterSeq: number): Promise<StoredStream | undefined>
  /** Streams whose request was never answered, because the hub died before. */
  unanswered(): Promise<readonly UnansweredStream[]>
  /** Drops completed streams older than `before` and old notices. */
  prune(before: Date): Promise<void>
}
