/** Approvals and grants as the code uses them, and their conversion from database rows. */
import type { ApprovalStatus } from '../api/approval.ts'
import type { HiddenPart } from '../base/redact.ts'
import type { Tables } from '../store/store.ts'

export interface ApprovalRecord {
  readonly id: string
  /** The hub whose call waits for this approval. */
  readonly hubId: string
  readonly sessionId: string
  readonly sessionName: string
  readonly tool: string
  /** Redacted for display to a person. */
  readonly arguments: JsonObject
  /**
   * The number of bytes cut from the arguments. It is 0 where a single open approval is read to be shown or decided.
   */
  readonly leftOutBytes: number
  /** The parts of the arguments that redaction removed. */
  readonly hidden: readonly HiddenPart[]
  /** Computed from the original arguments, before redaction. */
  readonly digest: string
  readonly rule: string | undefined
  readonly ruleReason: string | undefined
  readonly policyVersion: string
  readonly status: ApprovalStatus
  readonly correlation: string
  /** The event of the call that needs the approval. */
  readonly parent: string | undefined
  readonly requestedAt: string
  readonly expiresAt: string
  readonly decidedAt: string | undefined
  readonly decidedBy: string | undefined
  readonly reason: string | undefined
  readonly grantId: string | undefined
  /** When a call received the answer. */
  readonly toldAt: string | undefined
  readonly revision: number
  /**
   * Whether a call of this hub waits for the answer. Absent if that is unknown: the approval belongs to another hub, or
   * the record was not read for display.
   */
  readonly isAwaited?: boolean | undefined
}

export interface GrantRecord {
  readonly id: string
  /** `undefined`: for all sessions. */
  readonly sessionId: string | undefined
  readonly sessionName: string | undefined
  readonly tool: string
  readonly when: JsonObject | undefined
  readonly approvalId: string
  readonly createdAt: string
  readonly createdBy: string
  readonly revokedAt: string | undefined
  readonly revokedBy: string | undefined
}

export type JsonObject = Readonly<Record<string, unknown>>

/** `arguments` may hold only an excerpt. */
export type StoredApproval = Omit<Tables['approvals'], 'excerpt' | 'notified_at'> & { readonly session_name: string }
export type StoredGrant = Tables['grants'] & { readonly session_name: string | null }

export function toApproval(stored: StoredApproval): ApprovalRecord {
  return {
    id: stored.id,
    hubId: stored.hub_id,
    sessionId: stored.session_id,
    sessionName: stored.session_name,
    tool: stored.tool,
    arguments: JSON.parse(stored.arguments) as JsonObject,
    leftOutBytes: Math.max(0, stored.arguments_bytes - Buffer.byteLength(stored.arguments)),
    hidden: JSON.parse(stored.hidden) as readonly HiddenPart[],
    digest: stored.digest,
    rule: stored.rule ?? undefined,
    ruleReason: stored.rule_reason ?? undefined,
    policyVersion: stored.policy_version,
    status: stored.status as ApprovalStatus,
    correlation: stored.correlation,
    parent: stored.parent ?? undefined,
    requestedAt: stored.requested_at,
    expiresAt: stored.expires_at,
    decidedAt: stored.decided_at ?? undefined,
    decidedBy: stored.decided_by ?? undefined,
    reason: stored.reason ?? undefined,
    grantId: stored.grant_id ?? undefined,
    toldAt: stored.told_at ?? undefined,
    revision: stored.revision,
  }
}

/** The session, correlation and parent of the approval's events. */
export function placeInLog({ sessionId, correlation, parent }: ApprovalRecord) {
  return { session: sessionId, correlation, ...(parent !== undefined && { parent }) }
}

export function toGrant(stored: StoredGrant): GrantRecord {
  return {
    id: stored.id,
    sessionId: stored.session_id ?? undefined,
    sessionName: stored.session_name ?? undefined,
    tool: stored.tool,
    when: stored.condition === null ? undefined : (JSON.parse(stored.condition) as JsonObject),
    approvalId: stored.approval_id,
    createdAt: stored.created_at,
    createdBy: stored.created_by,
    revokedAt: stored.revoked_at ?? undefined,
    revokedBy: stored.revoked_by ?? undefined,
  }
}
