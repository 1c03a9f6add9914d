/** Approvals and grants as everybody outside the hub sees them (API, "Approval", "Grant"). */
import type { Approval, Grant } from '../api/approval.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { GrantDraft } from './draft-grant.ts'

export function toWire(record: ApprovalRecord): Approval {
  const { rule, ruleReason, decidedAt, decidedBy, reason, grantId, leftOutBytes, hidden } = record
  return {
    id: record.id,
    session: record.sessionName,
    session_id: record.sessionId,
    tool: record.tool,
    arguments: { ...record.arguments },
    ...(leftOutBytes > 0 && { arguments_left_out: leftOutBytes }),
    ...(hidden.length > 0 && { hidden: [...hidden] }),
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

const mostBytes = 1024 * 1024

/** As many of them, from the first on, as one answer may hold. */
export function fitIntoAnswer(records: readonly ApprovalRecord[]): readonly ApprovalRecord[] {
  let bytes = 0
  const tooMany = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(JSON.stringify(toWire(record)))
    return index > 0 && bytes > mostBytes
  })
  return tooMany === -1 ? records : records.slice(0, tooMany)
}

/** `found`: one more than may be on a page, if there are more. */
export function toPage(found: readonly ApprovalRecord[], limit: number) {
  const page = fitIntoAnswer(found.slice(0, limit))
  const last = page.at(-1)
  const next = last && found.length > page.length ? `${last.requestedAt}_${last.id}` : undefined
  return { approvals: page.map(toWire), ...(next !== undefined && { next_cursor: next }) }
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
