/** The `policy` mount of an agent: what it may do, before it tries; and how to ask for more. */
import { z } from 'zod'
import { effects, policyScopes, proposalSchema } from '../api/policy.ts'
import { HubError } from '../base/hub-error.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { PolicyFailure } from '../policy/policy.ts'
import { callArguments, inArgument } from './arguments.ts'
import type { Judge } from './judge.ts'
import { explainedDecisionSchema } from './judge.ts'
import type { ProposalRecord } from './proposal-store.ts'
import { toWire } from './proposal-tools.ts'
import type { Proposals } from './proposals.ts'

const meaning =
  'Rules name tools as <mount>_<tool>; * is anything, ? one character; "when" is JSON Schema on the arguments. All rules ' +
  'of all documents are pooled and the strictest match counts: abort (end your turn), deny (go on without it), ask (a ' +
  'person decides), allow. Where none matches, the default counts. A grant turns ask into allow.'

const ownSchema = proposalSchema.omit({ session: true, session_id: true })

export interface AgentProviderOptions {
  readonly sessionId: string
  readonly proposals: Proposals
  readonly judge: Judge
}

export function createAgentProvider({ sessionId, proposals, judge }: AgentProviderOptions): Provider {
  const tools = [
    defineTool({
      name: 'policy_read',
      description: 'The policy your calls are decided by, and the rules you have proposed.',
      input: z.strictObject({}),
      output: z.object({
        policy_version: z.string(),
        meaning: z.string(),
        default: z.object({ effect: z.enum(effects), from: z.string().optional() }),
        policies: z.array(z.object({ scope: z.enum(policyScopes), version: z.int(), source: z.string() })),
        proposals: z.array(ownSchema),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run() {
        const { version, fallback, policies } = await judge.poolOf(sessionId).catch(asHubError)
        return {
          policy_version: version,
          meaning,
          default: fallback,
          policies: policies.map(({ place, source }) => ({ scope: place.scope, version: place.version, source })),
          proposals: (await proposals.list({ sessionId, limit: 50 })).map(toOwn),
        }
      },
    }),
    defineTool({
      name: 'policy_check',
      description: 'Whether you could make this call now: allow, ask, deny or abort, and why. Nothing is called.',
      input: z.strictObject(callArguments),
      output: explainedDecisionSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: ({ tool, arguments: args }) => judge.explain(sessionId, { tool, arguments: args }),
    }),
    defineTool({
      name: 'policy_propose',
      description: 'Asks a person for rules in this session’s policy. They hold once a person accepts them.',
      input: z.strictObject({
        rules: z.string().min(1).describe('YAML, such as "- allow: github_get_*".'),
        why: z.string().min(1).max(1_000).describe('What you need them for; a person reads it.'),
      }),
      output: ownSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async ({ rules, why }) => toOwn(await inArgument('rules', proposals.propose(sessionId, rules, why))),
    }),
    defineTool({
      name: 'policy_withdraw',
      description: 'Takes a proposal of yours back.',
      input: z.strictObject({ id: z.string() }),
      output: ownSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async ({ id }) => toOwn(await proposals.withdraw(sessionId, id)),
    }),
  ]
  return { toolset: 'policy', tools: () => tools }
}

function toOwn(proposal: ProposalRecord): z.input<typeof ownSchema> {
  const { session: _, session_id: __, ...own } = toWire(proposal)
  return own
}

function asHubError(error: unknown): never {
  throw error instanceof PolicyFailure ? new HubError('unavailable', error.message, { cause: error }) : error
}
