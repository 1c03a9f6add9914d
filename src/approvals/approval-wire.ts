/** The wire format of approvals and grants (API, "Approval", "Grant"). */
import type { Approval, Grant } from '../api/approval.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { GrantDraft } from './draft-grant.ts'

export function toWire(record: ApprovalRecord): Approval {
  const { rule, ruleReason, decidedAt, decidedBy, reason, grantId, leftOutBytes, hidden, isAwaited } = record
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
    ...(isAwaited !== undefined && { waiting: isAwaited }),
    requested_at: record.requestedAt,
    expires_at: record.expiresAt,
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
    ...(reason !== undefined && { reason }),
    ...(grantId !== undefined && { grant: grantId }),
  }
}

const mostBytes = 1024 * 1024

/** Returns the first records, as many as fit into one answer. */
export function fitIntoAnswer(records: readonly ApprovalRecord[]): readonly ApprovalRecord[] {
  let bytes = 0
  const tooMany = records.findIndex((record, index) => {
    bytes += Buffer.byteLength(JSON.stringify(toWire(record)))
    return index > 0 && bytes > mostBytes
  })
  return tooMany === -1 ? records : records.slice(0, tooMany)
}

/** `found` holds one record more than `limit` if there is another page. */
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

/** The fields of a grant that are known before it is made. */
export function draftToWire({ sessionName, sessionId, tool, when, approvalId }: Omit<GrantDraft, 'id'>) {
  return {
    ...(sessionName !== undefined && { session: sessionName }),
    ...(sessionId !== undefined && { session_id: sessionId }),
    tool,
    ...(when && { when: { ...when } }),
    approval: approvalId,
  }
}
