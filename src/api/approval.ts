/** A call that waits for a person, and the grant that an answer may create (API, "Approval", "Grant"). */
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

/** The question to a person about a call for which the policy decided `ask`. */
export interface ApprovalRequest {
  /** The session's id. */
  readonly session: string
  /** `<mount>_<original tool name>` */
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The rule that decided `ask`; absent if the default did. */
  readonly rule?: string | undefined
  /** The reason that the rule states. */
  readonly reason?: string | undefined
  readonly policyVersion: string
  readonly correlation: string
  /** The event of the call. The events of the approval are its children. */
  readonly parent?: string | undefined
}

/** The call that waits for the answer. */
export interface HeldCall {
  /** Fires when the caller cancels or leaves. */
  readonly signal: AbortSignal
  /** The name that the caller's program gives itself. */
  readonly clientName?: string | undefined
  /** How long the caller can wait. Without it, the name of its program decides. */
  readonly holdMs?: number | undefined
  /** Does nothing if the caller did not ask for progress. */
  progress(step: { progress: number; message?: string }): void
  /** Called when the call starts to wait for this approval. */
  onHeld?: ((approval: string) => Promise<void>) | undefined
  /** Reports when the caller leaves but may resume, and when it is back. */
  onAway?: ((listener: (isAway: boolean) => void) => void) | undefined
}

/** The result for the call that asked. */
export type ApprovalOutcome =
  /** This call has consumed the approval. It runs, and no other call runs on this approval. */
  | { readonly status: 'approved'; readonly id: string }
  /** `abandoned`: the caller has left, the session has ended, or the policy has changed. */
  | { readonly status: 'denied' | 'aborted' | 'expired' | 'abandoned'; readonly id: string; readonly reason?: string }
  /** The hold has ended without an answer. The same call, made again, continues to wait. */
  | { readonly status: 'pending'; readonly id: string; readonly expiresAt: string }

export const approvalSchema = z.object({
  id: z.string(),
  session: z.string().describe('Its name.'),
  session_id: z.string(),
  tool: z.string().describe('<mount>_<tool>, as policies name it.'),
  arguments: z.record(z.string(), z.unknown()).describe('As a person may see them.'),
  arguments_left_out: z
    .int()
    .optional()
    .describe('This many bytes of them are missing here. While it waits, list_approvals with the id shows all.'),
  hidden: z
    .array(z.object({ at: z.string().describe('A JSON Pointer.'), characters: z.int() }))
    .optional()
    .describe('The hidden secrets. "[redacted]" anywhere else is text that the agent wrote.'),
  digest: z.string().describe('Of the original arguments: an approval is for these and no others.'),
  correlation: z.string().describe('Of its call; get_trace shows the whole path.'),
  rule: z.string().optional().describe('The rule that decided ask; absent if the default did.'),
  rule_reason: z.string().optional().describe('The reason the rule states.'),
  policy_version: z.string(),
  status: z.enum(approvalStatuses),
  waiting: z
    .boolean()
    .optional()
    .describe(
      'Whether its call still waits. If false, the agent has moved on, and gets the answer with the same call again.',
    ),
  requested_at: z.string(),
  expires_at: z.string(),
  decided_at: z.string().optional(),
  decided_by: z.string().optional(),
  reason: z.string().optional(),
  grant: z.string().optional().describe('The grant it created.'),
})
export type Approval = z.output<typeof approvalSchema>

/** The calls of one session that wait for a person: how many, and the one that has waited longest. */
export interface PendingApprovals {
  readonly count: number
  readonly oldest: { readonly id: string; readonly tool: string; readonly requestedAt: string } | undefined
  /** Whether a call still waits for one of them now. The clients of the others have left or given up. */
  isHeld(): boolean
  /** Whether the clients of all of them have left in the middle of the call. They may resume it within a minute. */
  isDeserted(): boolean
}

export const grantSchema = z.object({
  id: z.string(),
  session: z.string().optional().describe('Its name. Without it, the grant is for all sessions.'),
  session_id: z.string().optional(),
  tool: z.string().describe('As in a rule: * matches anything.'),
  when: z.record(z.string(), z.unknown()).optional().describe('JSON Schema on the arguments.'),
  approval: z.string().describe('The approval it came from.'),
  created_at: z.string(),
  created_by: z.string(),
  revoked_at: z.string().optional(),
  revoked_by: z.string().optional(),
})
export type Grant = z.output<typeof grantSchema>
