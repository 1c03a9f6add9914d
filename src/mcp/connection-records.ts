/** What must outlive the hub of a legacy connection, so that it goes on after a restart. Kept in `connections/`. */
import type { Topic } from './notices.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from './sdk.ts'
import type { RequestId, RpcMessage } from './wire.ts'

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
  /** Topics that changed while nobody listened. */
  readonly changed: readonly Topic[]
}

export interface StoredEvent {
  readonly seq: number
  /** `undefined` for an event that only carries an id. */
  readonly message: RpcMessage | undefined
}

export interface StoredStream {
  readonly isComplete: boolean
  readonly nextSeq: number
  /** In order; the oldest may be gone. */
  readonly events: readonly StoredEvent[]
}

export interface ConnectionRecords {
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
  /** Writes the events and takes `delivered` off the changed topics, both or neither. */
  append(id: string, streamId: string, events: readonly StoredEvent[], delivered?: readonly Topic[]): Promise<void>
  completeStream(id: string, streamId: string): Promise<void>
  readStream(id: string, streamId: string, afterSeq: number): Promise<StoredStream | undefined>
  /** Streams whose request was never answered: the hub died in between. */
  unanswered(): Promise<readonly { id: string; streamId: string; requestId: RequestId; nextSeq: number }[]>
  /** Drops completed streams older than `before` and old notices. */
  prune(before: Date): Promise<void>
}
