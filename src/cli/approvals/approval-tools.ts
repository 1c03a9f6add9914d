/** The inputs and results of the approval tools, for the commands and the interactive screen. */
import { z } from 'zod'
import { approvalSchema, grantSchema } from '../../api/approval.ts'
import type { Approval, ApprovalDecision, Grant } from '../../api/approval.ts'
import { ask } from '../hub-client/ask-hub.ts'
import type { HubClient } from '../hub-client/hub-client.ts'

export type GrantDraft = Pick<Grant, 'tool' | 'when' | 'session'>

const previewSchema = approvalSchema.extend({
  would_grant: grantSchema.pick({ tool: true, when: true, session: true }).optional(),
})

/** The result of `decide_approval`. */
export const decisionSchema = approvalSchema.extend({ note: z.string().optional() })
export type Decision = z.output<typeof decisionSchema>

export function decisionInput(id: string, decision: ApprovalDecision, reason: string | undefined) {
  return { id, decision, ...(reason !== undefined && reason !== '' && { reason }) }
}

/** The grant that a dry run reports. `undefined` means none. */
export function readPreview(result: unknown): GrantDraft | undefined {
  return previewSchema.parse(result).would_grant
}

const oneSchema = z.object({ approvals: z.tuple([approvalSchema]) })

/** Reads one approval with all its arguments. Lists cut long ones. */
export async function readApproval(hub: HubClient, id: string): Promise<Approval> {
  return oneSchema.parse(await ask(hub, 'list_approvals', { id })).approvals[0]
}
