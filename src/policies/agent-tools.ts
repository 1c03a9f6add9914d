/**
 * The `policy` mount of an agent: lets it read its policy, check a call before making it, and propose rules. These
 * definitions are part of every request that the agent sends to its model, so they are short.
 */
import { z } from 'zod'
import { withoutControls } from '../base/without-controls.ts'
import { effects, policyScopes, proposalStatuses } from '../api/policy.ts'
import { HubError } from '../base/hub-error.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { PolicyFailure } from '../policy/policy.ts'
import { callArguments, inArgument } from './arguments.ts'
import type { Explain } from './explain.ts'
import type { Pools } from './pools.ts'
import type { ProposalRecord } from './proposal-store.ts'
import type { Proposals } from './proposals.ts'

const meaning =
  'Rules name tools as <mount>_<tool>; * is anything, ? one character; "when" is JSON Schema on the arguments. All rules ' +
  'of all documents are pooled and the strictest match counts: abort (end your turn), deny (go on without it), ask (a ' +
  'person decides), allow. Where none matches, the default counts. A grant turns ask into allow.'

const ownProposal = z.object({
  id: z.string(),
  status: z.enum(proposalStatuses),
  rules: z.string(),
  reason: z.string().optional(),
})

const listedProposals = 20

export interface AgentProviderOptions {
  readonly sessionId: string
  readonly proposals: Proposals
  readonly pools: Pools
  readonly explain: Explain
}

export function createAgentProvider({ sessionId, proposals, pools, explain }: AgentProviderOptions): Provider {
  const tools = [
    defineTool({
      name: 'policy_read',
      description: 'The policy your calls are decided by, and the rules you have proposed.',
      input: z.strictObject({}),
      output: z.object({
        policy_version: z.string(),
        meaning: z.string(),
        default: z.enum(effects),
        policies: z.array(z.object({ scope: z.enum(policyScopes), version: z.int(), source: z.string() })),
        proposals: z.array(ownProposal),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run() {
        const { version, fallback, policies } = await pools.of(sessionId).catch(asHubError)
        return {
          policy_version: version,
          meaning,
          default: fallback.effect,
          policies: policies.map(({ place, source }) => ({ scope: place.scope, version: place.version, source })),
          proposals: (await proposals.list({ sessionId, limit: listedProposals })).map(toOwn),
        }
      },
    }),
    defineTool({
      name: 'policy_check',
      description: 'Whether you could make this call now: allow, ask, deny or abort, and why. Nothing is called.',
      input: z.strictObject(callArguments),
      output: z.object({ effect: z.enum(effects), why: z.string(), policy_version: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ tool, arguments: args }) {
        const { effect, why, policy_version } = await explain(sessionId, { tool, arguments: args })
        return { effect, why, policy_version }
      },
    }),
    defineTool({
      name: 'policy_propose',
      description: 'Asks a person for rules in this session’s policy. They hold once a person accepts them.',
      input: z.strictObject({
        rules: z.string().min(1).describe('YAML, such as "- allow: github_get_*".'),
        why: z
          .string()
          .overwrite(withoutControls)
          .min(1)
          .max(1_000)
          .describe('What you need them for; a person reads it.'),
      }),
      output: ownProposal,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async ({ rules, why }) => toOwn(await inArgument('rules', proposals.propose(sessionId, rules, why))),
    }),
    defineTool({
      name: 'policy_withdraw',
      description: 'Takes a proposal of yours back.',
      input: z.strictObject({ id: z.string() }),
      output: ownProposal,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async ({ id }) => toOwn(await proposals.withdraw(sessionId, id)),
    }),
  ]
  return { toolset: 'policy', tools: () => tools }
}

function toOwn({ id, status, rules, reason }: ProposalRecord): z.input<typeof ownProposal> {
  return { id, status, rules, ...(reason !== undefined && { reason }) }
}

function asHubError(error: unknown): never {
  throw error instanceof PolicyFailure ? new HubError('unavailable', error.message, { cause: error }) : error
}
