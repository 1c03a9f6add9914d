/** The interface of approvals, for the hub and for the approval tools. */
import type { ApprovalOutcome, ApprovalRequest, HeldCall } from '../api/approval.ts'
import type { Principal } from '../base/principal.ts'
import type { Feature } from '../feature/feature.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { ApprovalFilter, GrantFilter } from './approval-store.ts'
import type { Answer, Preview } from './decide-approval.ts'

export interface Approvals extends Feature, AsyncDisposable {
  /**
   * Asks a person and waits for the answer for as long as the call is held. An `approved` outcome is already consumed:
   * this caller runs the tool, and no other call can use the approval. Rejects if the caller leaves before a person was
   * asked.
   */
  obtain(request: ApprovalRequest, call: HeldCall): Promise<ApprovalOutcome>
  decide(id: string, answer: Answer, by: Principal): Promise<ApprovalRecord>
  /** Shows the grant that this answer would make. Changes nothing. */
  preview(id: string, answer: Answer): Promise<Preview>
  /** With all its arguments. */
  find(id: string): Promise<ApprovalRecord>
  /** Newest first, with excerpts of large arguments. */
  list(filter: ApprovalFilter): Promise<readonly ApprovalRecord[]>
  /**
   * Returns the changes since the cursor or, without one, the pending approvals. Waits until there are some or the
   * timeout passes.
   */
  wait(options: { since?: number | undefined; timeoutMs: number; signal: AbortSignal }): Promise<News>
  listGrants(filter: GrantFilter): Promise<readonly GrantRecord[]>
  revokeGrant(id: string, by: Principal): Promise<GrantRecord>
  /** Abandons the approvals of an ended session, which makes no more calls, and revokes its grants. */
  abandonOf(session: string): Promise<void>
  /** The hub stops: ends every hold and every `wait` at once. The callers are told to come back. */
  endHolds(): void
  /** Expires, abandons and announces approvals that are due. The hub calls it regularly. */
  sweep(): Promise<void>
}

export interface News {
  readonly approvals: readonly ApprovalRecord[]
  readonly cursor: number
}
