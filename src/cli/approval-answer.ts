/** What the tools on approvals take and give, for the commands and for the keyboard. */
import { z } from 'zod'
import { approvalSchema, grantSchema } from '../api/approval.ts'
import type { Approval, ApprovalDecision, Grant } from '../api/approval.ts'
import { ask } from './ask-hub.ts'
import type { HubConnection } from './hub-client.ts'

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

const oneSchema = z.object({ approvals: z.tuple([approvalSchema]) })

/** With all its arguments, which lists cut. */
export async function readApproval(hub: HubConnection, id: string): Promise<Approval> {
  return oneSchema.parse(await ask(hub, 'list_approvals', { id })).approvals[0]
}
