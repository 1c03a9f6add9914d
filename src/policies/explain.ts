/** Explains how a call would be decided by the policies that apply to its session now. */
import { z } from 'zod'
import { isOwnTool } from '../api/own-tools.ts'
import { isElicitation } from '../api/policy-names.ts'
import { decisionSchema, effects, policyScopes } from '../api/policy.ts'
import { HubError } from '../base/hub-error.ts'
import type { CompiledGrant, KnownMount, Policy, PolicyCall, PolicyPool, Verdict } from '../policy/policy.ts'
import { decide, PolicyFailure, poolPolicies } from '../policy/policy.ts'
import type { Pools } from './pools.ts'

export const explainedDecisionSchema = decisionSchema.extend({
  why: z.string().describe('Which rule or default decided, in words.'),
  policies: z
    .array(
      z.object({
        scope: z.enum(policyScopes),
        target: z.string().optional(),
        version: z.int(),
        default: z.enum(effects).optional(),
        locked: z.boolean(),
        rules: z.int(),
      }),
    )
    .describe('Everything that was pooled, widest scope first.'),
})

/** `proposed` replaces the document of its scope. */
export type Explain = (
  sessionId: string,
  call: PolicyCall,
  proposed?: Policy,
) => Promise<z.input<typeof explainedDecisionSchema>>

/** The compositors know which names policies and agents use for a tool. */
export interface ToolNames {
  /** Returns the policy name of a tool and its aliases. Takes the policy name or the name that the agent sees. */
  namesOf(sessionId: string, tool: string): Promise<NamesOfTool>
  /** The mounts of all sessions, and the tools of those that were ever listed. */
  known(): Promise<readonly KnownMount[]>
}

export interface NamesOfTool extends Pick<PolicyCall, 'tool' | 'aliases'> {
  /** The mount that the tool may belong to, if the tools of that mount are not known yet. */
  readonly unlisted?: string
}

export interface ExplainOptions {
  readonly pools: Pools
  readonly grantsOf: (sessionId: string) => Promise<readonly CompiledGrant[]>
  readonly names: ToolNames
}

export function createExplain({ pools, grantsOf, names }: ExplainOptions): Explain {
  return async (sessionId, call, proposed) => {
    try {
      const pool = withProposed(await pools.of(sessionId), proposed)
      const { unlisted, ...named } = await names.namesOf(sessionId, call.tool)
      const { policyVersion, ...verdict } = decide(pool, await grantsOf(sessionId), { ...call, ...named })
      const decided = { policyVersion, ...verdict }
      const why = `${sayWhy(pool, decided, named.tool)}${sayPrompts(decided, named.tool)}${sayUnlisted(unlisted)}`
      return { ...verdict, policy_version: policyVersion, why, policies: pool.policies.map(summaryOf) }
    } catch (error) {
      if (error instanceof PolicyFailure) throw new HubError('unavailable', error.message, { cause: error })
      throw error
    }
  }
}

/** The pool as it would be if the proposed document were saved. */
export function withProposed(pool: PolicyPool, proposed: Policy | undefined): PolicyPool {
  if (!proposed) return pool
  return poolPolicies([...pool.policies.filter(({ place }) => place.scope !== proposed.place.scope), proposed])
}

function sayWhy(pool: PolicyPool, { rule: name, grant, effect }: Verdict, tool: string): string {
  const unruled = () => (isOwnTool(tool) ? ownToolsUnruled : sayDefault(pool, tool))
  const decided = name === undefined ? unruled() : sayRule(pool, name)
  return grant === undefined || effect !== 'allow' ? decided : `${decided} The grant ${grant} answers that with yes.`
}

const ownToolsUnruled =
  'No rule matches. The default does not apply to own tools: the settings of the agent decide, and may ask a person.'

/** Matches the gate: a prompt of a connector is not asked about if only the default says ask. */
function sayPrompts({ rule, effect }: Verdict, tool: string): string {
  const isAskedByDefault = effect === 'ask' && rule === undefined
  if (!isAskedByDefault || !tool.endsWith('_read')) return ''
  return ' That is for resources: prompts pass without a question, unless a rule matches.'
}

function sayUnlisted(mount: string | undefined): string {
  if (mount === undefined) return ''
  return ` What the mount "${mount}" offers is not known in this session yet: the name was judged as it is written.`
}

function sayDefault({ fallback, policies }: PolicyPool, tool: string): string {
  const none = `No rule matches "${tool}" with these arguments`
  if (fallback.effect === 'ask' && isElicitation(tool)) {
    return `${none}. An elicitation asks a person itself, so a default of ask lets it pass.`
  }
  if (fallback.from === undefined) return `${none}, and no policy states a default: a person is asked.`
  const isLocked = policies.some(({ isLocked: locked }) => locked) ? ', which is locked' : ''
  return `${none}, so the default of ${fallback.from} counts${isLocked}: ${fallback.effect}.`
}

function sayRule({ policies }: PolicyPool, name: string): string {
  const rule = policies.flatMap(({ rules }) => rules).find((one) => one.name === name)
  if (!rule) return `The rule ${name} matches.`
  const condition = rule.condition ? ', and its "when" holds for these arguments' : ''
  const reason = rule.reason === undefined ? '' : ` Its reason: ${rule.reason}`
  return `The rule ${name} says ${rule.effect} for ${rule.tools.join(', ')}${condition}.${reason}`
}

function summaryOf({ place, default: fallback, isLocked, rules }: Policy) {
  const { scope, target, version } = place
  return {
    scope,
    version,
    locked: isLocked,
    rules: rules.length,
    ...(target !== undefined && { target }),
    ...(fallback !== undefined && { default: fallback }),
  }
}
