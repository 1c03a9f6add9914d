/** A call that waits for a person, and what the answer may leave behind (API, "Approval", "Grant"). */
import { z } from 'zod'

export const approvalStatuses = [
  'pending',
  'approved',
  'consumed',
  'denied',
  'aborted',
  'expired',
  'abandoned',
] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export const approvalDecisions = ['approve', 'deny', 'abort'] as const
export type ApprovalDecision = (typeof approvalDecisions)[number]

/** How far an approval reaches. */
export const approvalScopes = ['once', 'session', 'rule'] as const
export type ApprovalScope = (typeof approvalScopes)[number]

export const approvalSchema = z.object({
  id: z.string(),
  session: z.string().describe('Its name.'),
  session_id: z.string(),
  tool: z.string().describe('<mount>_<tool>, as policies name it.'),
  arguments: z.record(z.string(), z.unknown()).describe('As a person may see them.'),
  arguments_left_out: z
    .int()
    .optional()
    .describe('So many bytes of them are missing here; list_approvals with the id has them whole.'),
  hidden: z
    .array(z.object({ at: z.string().describe('A JSON Pointer.'), characters: z.int() }))
    .optional()
    .describe('What of the arguments is a secret. "[redacted]" anywhere else is what the agent wrote.'),
  digest: z.string().describe('Of the arguments as they came: an approval is for these and no others.'),
  correlation: z.string().describe('Of its call: get_trace shows the whole path.'),
  rule: z.string().optional().describe('The rule that said ask; absent where the default did.'),
  rule_reason: z.string().optional().describe('What that rule says of itself.'),
  policy_version: z.string(),
  status: z.enum(approvalStatuses),
  requested_at: z.string(),
  expires_at: z.string(),
  decided_at: z.string().optional(),
  decided_by: z.string().optional(),
  reason: z.string().optional(),
  grant: z.string().optional().describe('What the answer left behind.'),
})
export type Approval = z.output<typeof approvalSchema>

export const grantSchema = z.object({
  id: z.string(),
  session: z.string().optional().describe('Its name. Without one it holds for all sessions.'),
  session_id: z.string().optional(),
  tool: z.string().describe('As in a rule: * stands for anything.'),
  when: z.record(z.string(), z.unknown()).optional().describe('JSON Schema on the arguments.'),
  approval: z.string().describe('The approval it came from.'),
  created_at: z.string(),
  created_by: z.string(),
  revoked_at: z.string().optional(),
  revoked_by: z.string().optional(),
})
export type Grant = z.output<typeof grantSchema>
