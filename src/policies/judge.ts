/** Decides a call of a session by the policies that hold for it, and says why: for real calls and for questions alike. */
import { z } from 'zod'
import { decisionSchema, effects, policyScopes } from '../api/policy.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { CompiledGrant, Policy, PolicyCall, PolicyPool, Verdict } from '../policy/policy.ts'
import { decide, PolicyFailure } from '../policy/policy.ts'
import type { CurrentPolicies } from './current-policies.ts'
import type { KnownSession } from './policies.ts'

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

export interface Judge {
  poolOf(sessionId: string): Promise<PolicyPool>
  explain(sessionId: string, call: PolicyCall): Promise<z.input<typeof explainedDecisionSchema>>
  forget(sessionId: string): void
}

export interface NamesOfTool extends Pick<PolicyCall, 'tool' | 'aliases'> {
  /** The mount that it may be of, whose tools nobody knows yet. */
  readonly unlisted?: string
}

export interface JudgeOptions {
  /** A tool as policies name it, with its other names, from that name or the one that its agent sees. */
  readonly namesOf: (sessionId: string, tool: string) => Promise<NamesOfTool>
  readonly current: CurrentPolicies
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
  readonly grantsOf: (sessionId: string) => readonly CompiledGrant[]
}

export function createJudge({ current, findSession, grantsOf, namesOf }: JudgeOptions): Judge {
  /** A session never changes its template. */
  const templates = new Map<string, string>()

  async function templateOf(id: string): Promise<string> {
    const known = templates.get(id)
    if (known !== undefined) return known
    const { template } = await findSession(id).catch((error: unknown) => {
      throw new PolicyFailure(`The policy of this session cannot be found: ${messageOf(error)}`, { cause: error })
    })
    templates.set(id, template)
    return template
  }

  const poolOf = async (id: string) => current.poolOf({ id, template: templates.get(id) ?? (await templateOf(id)) })

  return {
    poolOf,
    async explain(sessionId, call) {
      try {
        const pool = await poolOf(sessionId)
        const { unlisted, ...named } = await namesOf(sessionId, call.tool)
        const { policyVersion, ...verdict } = decide(pool, grantsOf(sessionId), { ...call, ...named })
        const why = `${explain(pool, { policyVersion, ...verdict }, named.tool)}${sayUnlisted(unlisted)}`
        return { ...verdict, policy_version: policyVersion, why, policies: pool.policies.map(summaryOf) }
      } catch (error) {
        if (error instanceof PolicyFailure) throw new HubError('unavailable', error.message, { cause: error })
        throw error
      }
    },
    forget(sessionId) {
      templates.delete(sessionId)
    },
  }
}

function explain(pool: PolicyPool, { rule: name, grant, effect }: Verdict, tool: string): string {
  const decided = name === undefined ? sayDefault(pool, tool) : sayRule(pool, name)
  return grant === undefined || effect !== 'allow' ? decided : `${decided} The grant ${grant} answers that with yes.`
}

function sayUnlisted(mount: string | undefined): string {
  if (mount === undefined) return ''
  return ` What the mount "${mount}" offers is not known in this session yet: the name was judged as it is written.`
}

function sayDefault({ fallback, policies }: PolicyPool, tool: string): string {
  const none = `No rule matches "${tool}" with these arguments`
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
