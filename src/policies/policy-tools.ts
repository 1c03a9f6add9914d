/**
 * get_policy, set_policy, check_call, simulate_policy, `resource://policies`, the tools for the history of policies and
 * for an editor of them, and those with which people decide proposals.
 */
import { z } from 'zod'
import { effects, policyScopes } from '../api/policy.ts'
import { HubError } from '../base/hub-error.ts'
import type { Provider, Resource } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { Policy } from '../policy/policy.ts'
import { compilePolicy } from '../policy/policy.ts'
import { callArguments, inArgument, ownerArguments, personOf } from './arguments.ts'
import { createCheckPolicyTools } from './check-policy-tools.ts'
import { type Explain, type ToolNames, explainedDecisionSchema } from './explain.ts'
import type { KnownSession } from './current-policies.ts'
import type { PolicyDocuments, PolicyOwner, Reading, ReadPolicy } from './policy-documents.ts'
import { policiesUri, policyOrigins } from './policy-documents.ts'
import { createPolicyHistoryTools } from './policy-history-tools.ts'
import { createProposalsResource, createProposalTools } from './proposal-tools.ts'
import type { Proposals } from './proposals.ts'
import type { SimulateToolDeps } from './simulate-tool.ts'
import { createSimulateTool } from './simulate-tool.ts'

export interface PolicyProviderDeps extends SimulateToolDeps {
  readonly proposals: Proposals
  readonly explain: Explain
  readonly names: ToolNames
}

const policySchema = z.object({
  scope: z.enum(policyScopes),
  target: z.string().optional(),
  source: z.string().describe('As it was written.'),
  version: z.int().describe('Counts the saves; 0 if none was saved.'),
  origin: z.enum(policyOrigins).describe('Where the source comes from.'),
  default: z.enum(effects).optional(),
  locked: z.boolean(),
  rules: z.array(
    z.object({
      name: z.string(),
      effect: z.enum(effects),
      tools: z.array(z.string()),
      when: z.record(z.string(), z.unknown()).optional(),
      reason: z.string().optional(),
    }),
  ),
  saved_at: z.string().optional(),
  saved_by: z.string().optional(),
  fault: z.string().optional().describe('Why it cannot be used; until it is mended, no call is let through.'),
})

export function createPolicyProvider(deps: PolicyProviderDeps): Provider {
  const { documents, proposals, explain, names, findSession } = deps
  const tools = [
    defineTool({
      name: 'get_policy',
      description:
        'The policy of the hub, of a template or of a session: what agents may do. Rules of all three are pooled, and the strictest match wins.',
      input: z.strictObject({
        ...ownerArguments,
        version: z.int().min(1).optional().describe('An earlier one; without it, the one that holds.'),
      }),
      output: policySchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ scope, target, version }) {
        const read = await documents.get(await documents.keyOf({ scope, target }), version)
        return toWire(read, { scope, target })
      },
    }),
    defineTool({
      name: 'set_policy',
      description:
        'Saves the next version of a policy, YAML or JSON. A broken one is refused with its line and the old one stays. It holds from the next call on.',
      input: z.strictObject({
        ...ownerArguments,
        source: z
          .string()
          .describe('The whole document. Empty: back to the shipped one, to the template’s file, or to none.'),
        if_version: z.int().min(0).optional().describe('The version you changed: refused where it is no longer that.'),
      }),
      output: policySchema.extend({ diff: z.string().describe('What changed; empty where nothing did.') }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ scope, target, source, if_version }, { caller }) {
        const key = await documents.keyOf({ scope, target })
        const { diff } = await inArgument(
          'source',
          documents.save({ key, source, by: personOf(caller), ifVersion: if_version }),
        )
        return { ...toWire(await documents.get(key), { scope, target }), diff }
      },
    }),
    defineTool({
      name: 'check_call',
      description: 'What would be decided if the agent of a session made this call now, and why. Nothing is called.',
      input: z.strictObject({
        session: z.string().min(1).max(200).describe('Name or id.'),
        ...callArguments,
        source: z.string().optional().describe('A policy to try in place of the one of "scope" and "target".'),
        ...ownerArguments,
      }),
      output: explainedDecisionSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ session, tool, arguments: args, source, ...owner }) {
        const found = await findSession(session)
        const proposed = source === undefined ? undefined : await readProposed(source, owner, found, documents)
        return explain(found.id, { tool, arguments: args }, proposed)
      },
    }),
    createSimulateTool(deps),
    ...createPolicyHistoryTools(documents),
    ...createCheckPolicyTools(names),
    ...createProposalTools({ proposals, findSession }),
  ]
  return {
    toolset: 'policy',
    tools: () => tools,
    resources: () => [createPoliciesResource(documents), createProposalsResource(proposals)],
  }
}

async function readProposed(
  source: string,
  owner: PolicyOwner,
  session: KnownSession,
  documents: PolicyDocuments,
): Promise<Policy> {
  const { scope, target } = await documents.keyOf(owner)
  if ((scope === 'template' && target !== session.template) || (scope === 'session' && target !== session.id)) {
    throw new HubError('invalid', `"session": the policy of this ${scope} does not apply to "${session.name}".`)
  }
  return inArgument('source', compilePolicy(source, { scope, ...(target !== '' && { target }), version: 0 }))
}

function toWire(
  { source, version, origin, reading, saved }: ReadPolicy,
  { scope, target }: PolicyOwner,
): z.input<typeof policySchema> {
  return {
    scope,
    ...(target !== undefined && { target }),
    source,
    version,
    origin,
    ...contentOf(reading),
    ...(saved && { saved_at: saved.savedAt, saved_by: saved.savedBy }),
  }
}

function contentOf(reading: Reading) {
  if (reading.is === 'broken') return { locked: false, rules: [], fault: reading.fault }
  const { default: fallback, isLocked, rules } = reading.policy
  return {
    ...(fallback !== undefined && { default: fallback }),
    locked: isLocked,
    rules: rules.map(({ name, effect, tools, when, reason }) => ({
      name,
      effect,
      tools: [...tools],
      ...(when && { when }),
      ...(reason !== undefined && { reason }),
    })),
  }
}

function createPoliciesResource(documents: PolicyDocuments): Resource {
  const mimeType = 'application/json'
  return {
    uri: policiesUri,
    name: 'policies',
    description: 'Which policies were saved, in which version, by whom. get_policy reads one.',
    mimeType,
    async read() {
      const policies = (await documents.list()).map(({ scope, target, version, source, savedAt, savedBy }) => ({
        scope,
        ...(target !== '' && { target }),
        version,
        is_empty: source === '',
        saved_at: savedAt,
        saved_by: savedBy,
      }))
      return { contents: [{ uri: policiesUri, mimeType, text: JSON.stringify({ policies }) }] }
    },
  }
}
