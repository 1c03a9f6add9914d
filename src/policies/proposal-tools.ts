/** list_policy_proposals, decide_policy_proposal and `resource://policies/proposals` */
import { z } from 'zod'
import type { Proposal } from '../api/policy.ts'
import { proposalSchema, proposalStatuses } from '../api/policy.ts'
import type { Resource, Tool } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { personOf } from './arguments.ts'
import type { KnownSession } from './current-policies.ts'
import type { ProposalRecord } from './proposal-store.ts'
import type { Proposals } from './proposals.ts'
import { proposalsUri } from './proposals.ts'

const listedProposals = 200

export interface ProposalToolDeps {
  readonly proposals: Proposals
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
}

export function createProposalTools({ proposals, findSession }: ProposalToolDeps): readonly Tool[] {
  return [
    defineTool({
      name: 'list_policy_proposals',
      description: 'Rules that agents have asked for, newest first. Only a person can make them hold.',
      input: z.strictObject({
        status: z.enum([...proposalStatuses, 'all']).default('pending'),
        session: z.string().min(1).max(200).optional().describe('Name or id.'),
        limit: z.int().min(1).max(1_000).default(listedProposals),
      }),
      output: z.object({ proposals: z.array(proposalSchema) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ status, session, limit }) {
        const sessionId = session === undefined ? undefined : (await findSession(session)).id
        const found = await proposals.list({ status: status === 'all' ? undefined : status, sessionId, limit })
        return { proposals: found.map(toWire) }
      },
    }),
    defineTool({
      name: 'decide_policy_proposal',
      description:
        'Accepts or rejects rules that an agent asked for. Accepted ones are added to the policy of its session, as a new version.',
      input: z.strictObject({
        id: z.string(),
        decision: z.enum(['accept', 'reject']),
        reason: z.string().max(1_000).optional(),
      }),
      output: proposalSchema.extend({
        version: z.int().optional().describe('Of the session’s policy, where it was accepted.'),
        diff: z.string().optional().describe('What changed in it.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ id, decision, reason }, { caller }) {
        const by = personOf(caller)
        if (decision === 'reject') return toWire((await proposals.reject(id, by, reason)).proposal)
        const { proposal, change } = await proposals.accept(id, by, reason)
        return { ...toWire(proposal), ...(change && { version: change.saved.version, diff: change.diff }) }
      },
    }),
  ]
}

export function createProposalsResource(proposals: Proposals): Resource {
  const mimeType = 'application/json'
  return {
    uri: proposalsUri,
    name: 'policy-proposals',
    description: 'Rules that agents have asked for and that wait for a decision, newest first.',
    mimeType,
    async read() {
      const pending = await proposals.list({ status: 'pending', limit: listedProposals })
      const text = JSON.stringify({ proposals: pending.map(toWire) })
      return { contents: [{ uri: proposalsUri, mimeType, text }] }
    },
  }
}

export function toWire(proposal: ProposalRecord): Proposal {
  const { id, sessionName, sessionId, rules, why, status, createdAt, decidedAt, decidedBy, reason } = proposal
  return {
    id,
    session: sessionName,
    session_id: sessionId,
    rules,
    why,
    status,
    created_at: createdAt,
    ...(decidedAt !== undefined && { decided_at: decidedAt }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
    ...(reason !== undefined && { reason }),
  }
}
