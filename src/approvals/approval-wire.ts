/** Approvals and grants as everybody outside the hub sees them (API, "Approval", "Grant"). */
import type { Approval, Grant } from '../api/approval.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { GrantDraft } from './draft-grant.ts'

export function toWire(record: ApprovalRecord): Approval {
  const { rule, ruleReason, decidedAt, decidedBy, reason, grantId } = record
  return {
    id: record.id,
    session: record.sessionName,
    session_id: record.sessionId,
    tool: record.tool,
    arguments: { ...record.arguments },
    digest: record.digest,
    correlation: record.correlation,
    ...(rule !== undefined && { rule }),
    ...(ruleReason !== undefined && { rule_reason: ruleReason }),
    policy_version: record.policyVersion,
    status: record.status,
    requested_at: record.requestedAt,
    expires_at: record.expiresAt,
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
    ...(reason !== undefined && { reason }),
    ...(grantId !== undefined && { grant: grantId }),
  }
}

export function grantToWire(record: GrantRecord): Grant {
  const { createdAt, createdBy, revokedAt, revokedBy } = record
  return {
    id: record.id,
    ...draftToWire(record),
    created_at: createdAt,
    created_by: createdBy,
    ...(revokedAt !== undefined && { revoked_at: revokedAt }),
    ...(revokedBy !== undefined && { revoked_by: revokedBy }),
  }
}

/** What is known of a grant before it is made. */
export function draftToWire({ sessionName, sessionId, tool, when, approvalId }: Omit<GrantDraft, 'id'>) {
  return {
    ...(sessionName !== undefined && { session: sessionName }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    tool,
    ...(when && { when: { ...when } }),
    approval: approvalId,
  }
}
