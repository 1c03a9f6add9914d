/** What decide_approval takes and gives, for the commands and for the keyboard. */
import { approvalSchema, grantSchema } from '../api/approval.ts'
import type { ApprovalDecision, Grant } from '../api/approval.ts'

export type GrantDraft = Pick<Grant, 'tool' | 'when' | 'session'>

const previewSchema = approvalSchema.extend({
  would_grant: grantSchema.pick({ tool: true, when: true, session: true }).optional(),
})

export function decisionInput(id: string, decision: ApprovalDecision, reason: string | undefined) {
  return { id, decision, ...(reason !== undefined && reason !== '' && { reason }) }
}

/** What a dry run says would be granted; `undefined`: nothing. */
export function readPreview(result: unknown): GrantDraft | undefined {
  return previewSchema.parse(result).would_grant
}
