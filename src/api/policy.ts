/** What agents may do, and the verdict on one call (API, "Decision", "Proposal"). */
import { z } from 'zod'

/** Mildest first: the strictest match wins. */
export const effects = ['allow', 'ask', 'deny', 'abort'] as const
export type Effect = (typeof effects)[number]

/** Widest first. */
export const policyScopes = ['hub', 'template', 'session'] as const
export type PolicyScope = (typeof policyScopes)[number]

export const decisionSchema = z.object({
  effect: z.enum(effects),
  rule: z.string().optional().describe('The rule that matched, by scope and number; absent where the default decided.'),
  reason: z.string().optional(),
  grant: z.string().optional().describe('The grant that made allow of ask.'),
  policy_version: z.string(),
})

export const proposalStatuses = ['pending', 'accepted', 'rejected', 'withdrawn'] as const

export const proposalSchema = z.object({
  id: z.string(),
  session: z.string().describe('Its name.'),
  session_id: z.string(),
  rules: z.string().describe('The rules proposed for the session, as they would be written in its policy.'),
  why: z.string(),
  status: z.enum(proposalStatuses),
  created_at: z.string(),
  decided_at: z.string().optional(),
  decided_by: z.string().optional(),
  reason: z.string().optional(),
})
export type Proposal = z.output<typeof proposalSchema>
