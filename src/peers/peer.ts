/** The view of sessions that the tools of this folder need. */
import type { Activity, SessionStatus } from '../api/session.ts'
import type { WorkspaceOwner } from '../base/workspace-folder.ts'
import type { Run } from '../drivers/drivers.ts'

export interface PeerRecord extends WorkspaceOwner {
  readonly id: string
  readonly template: string
  readonly status: SessionStatus
  readonly description?: string | undefined
  readonly labels: readonly string[]
  readonly lastMessage?: string | undefined
  /** `undefined`: it is not confined. */
  readonly confined?: object | undefined
}

export interface PeerSessions {
  /** By name or id. Throws if there is no such session. */
  find(nameOrId: string): Promise<PeerRecord>
  list(filter: { readonly statuses: readonly SessionStatus[]; readonly limit: number }): Promise<readonly PeerRecord[]>
  /** The sessions whose program runs under this hub. */
  running(): readonly PeerRecord[]
  /** Throws if there is no run. */
  runOf(record: PeerRecord): Promise<Run>
  activityOf(record: PeerRecord): Activity
  onChange(id: string, listener: () => void): () => void
}
