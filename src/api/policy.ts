/** The rules for agents, and the verdict on one call (API, "Decision", "Proposal"). */
import { z } from 'zod'

/** Mildest first. The strictest match wins. */
export const effects = ['allow', 'ask', 'deny', 'abort'] as const
export type Effect = (typeof effects)[number]

/** Widest first. */
export const policyScopes = ['hub', 'template', 'session'] as const
export type PolicyScope = (typeof policyScopes)[number]

/** The policy of a template, as its file states it. */
export interface StatedPolicy {
  /** Whether a person's file states it, or a shipped one. */
  readonly origin: 'own' | 'shipped'
  /** `undefined`: the template has no policy. */
  readonly source: string | undefined
}

/** A policy that cannot be read is not the same as no policy. */
export type TemplatePolicy =
  | ({ readonly is: 'known' } & StatedPolicy)
  /** The file is missing or cannot be read. */
  | { readonly is: 'unknown'; readonly why: string }
  | { readonly is: 'invalid'; readonly why: string }

export const decisionSchema = z.object({
  effect: z.enum(effects),
  rule: z.string().optional().describe('The rule that matched, by scope and number; absent if the default decided.'),
  reason: z.string().optional(),
  grant: z.string().optional().describe('The grant that turned ask into allow.'),
  policy_version: z.string(),
})

export type Decision = z.output<typeof decisionSchema>

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
