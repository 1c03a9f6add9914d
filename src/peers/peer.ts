/** What the tools of this folder need to know of sessions, and what an ask is. */
import type { Activity, Question, SessionStatus } from '../api/session.ts'
import type { TurnStatus, Usage } from '../api/thread.ts'
import type { Run } from '../drivers/drivers.ts'

export interface PeerRecord {
  readonly id: string
  readonly name: string
  readonly template: string
  readonly status: SessionStatus
  readonly description?: string | undefined
  readonly labels: readonly string[]
  readonly workspacePath: string
  readonly lastMessage?: string | undefined
}

export interface PeerSessions {
  /** By name or id. Throws if there is no such session. */
  find(nameOrId: string): Promise<PeerRecord>
  list(filter: { readonly statuses: readonly SessionStatus[]; readonly limit: number }): Promise<readonly PeerRecord[]>
  /** Those whose program runs here. */
  running(): readonly PeerRecord[]
  /** Throws if there is no run. */
  runOf(record: PeerRecord): Promise<Run>
  activityOf(record: PeerRecord): Activity
  onChange(id: string, listener: () => void): () => void
}

export interface AskRequest {
  /** Name or id. */
  readonly session: string
  readonly text: string
  /** The id of the session whose agent asks. `undefined`: a person asks. */
  readonly caller?: string | undefined
  /** Of the call that asks, and the event that records it. */
  readonly correlation: string
  readonly event?: string | undefined
  /** Cancels it, and interrupts the turn of the peer. */
  readonly signal: AbortSignal
  /** Called while the peer works. */
  onProgress?(message: string): void
}

export interface Asked {
  /** `waiting`: the peer asks a question that a person must answer. */
  readonly status: TurnStatus | 'waiting'
  readonly answer?: string | undefined
  readonly reason?: string | undefined
  readonly question?: Question | undefined
  readonly usage?: Usage | undefined
  /** The cursor of the turn, for `read_thread`. */
  readonly turn: string
  readonly route: string
  readonly session_id: string
  readonly thread_id?: string | undefined
}

/** Asks the agent of a session, and waits for its answer. Throws a `HubError` if it cannot be asked. */
export type AskSession = (request: AskRequest) => Promise<Asked>
