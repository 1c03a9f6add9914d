import { isOwnTool } from '../api/own-tools.ts'
import { isElicitation } from '../api/policy-names.ts'
import type { Effect } from '../api/policy.ts'
import { messageOf } from '../base/hub-error.ts'
import { withinTimeLimit } from './decision-time.ts'
import type { CompiledGrant, PolicyCall, PolicyRule, Verdict } from './compiled-policy.ts'
import type { PolicyPool } from './pool.ts'

/** The policy could not be evaluated. The call must not run then. */
export class PolicyFailure extends Error {
  override readonly name = 'PolicyFailure'
}

/** The strictest match wins. If no rule matches, the default applies. A grant can only turn `ask` into `allow`. */
export function decide(pool: PolicyPool, grants: readonly CompiledGrant[], call: PolicyCall): Verdict {
  return withinTimeLimit(() => decideNow(pool, grants, call))
}

function decideNow(pool: PolicyPool, grants: readonly CompiledGrant[], call: PolicyCall): Verdict {
  const verdict = strictestVerdict(pool, call)
  if (verdict.effect !== 'ask') return verdict
  const grant = grants.find((one) => evaluate(`grant ${one.id}`, () => one.matches(call)))
  if (!grant) return verdict
  const { rule, policyVersion } = verdict
  return { effect: 'allow', grant: grant.id, policyVersion, ...(rule !== undefined && { rule }) }
}

function strictestVerdict(pool: PolicyPool, call: PolicyCall): Verdict {
  const policyVersion = pool.version
  const rule = pool.rulesFor(call).find((one) => holds(one, call))
  if (!rule) return { effect: effectWithoutRule(pool, call), policyVersion }
  const { effect, name, reason } = rule
  return { effect, rule: name, policyVersion, ...(reason !== undefined && { reason }) }
}

/**
 * The default does not apply to own tools: where no rule matches, the settings of the agent decide. An elicitation asks
 * the person at the client, so a default of `ask` would ask twice.
 */
function effectWithoutRule({ fallback }: PolicyPool, { tool, agentAsks = false }: PolicyCall): Effect {
  if (isOwnTool(tool)) return agentAsks ? 'ask' : 'allow'
  return fallback.effect === 'ask' && isElicitation(tool) ? 'allow' : fallback.effect
}

/** Whether arguments that are no longer known could change the effect of a recorded call. */
export function couldDiffer(pool: PolicyPool, call: PolicyCall, hidden: readonly string[]): boolean {
  const isUnsure = ({ condition }: PolicyRule) => hidden.some((name) => condition?.dependsOn(name))
  return withinTimeLimit(() => sureEffect(pool, call, isUnsure)) === undefined
}

/** The effect for a tool regardless of its arguments; `undefined` if it depends on them. */
export function predict(
  pool: PolicyPool,
  grants: readonly CompiledGrant[],
  names: Pick<PolicyCall, 'tool' | 'aliases'>,
): Effect | undefined {
  const call = { ...names, arguments: {} }
  const effect = sureEffect(pool, call, ({ condition }) => condition !== undefined)
  // A grant may apply to some arguments only.
  return effect === 'ask' && grants.some((grant) => grant.matches(call)) ? undefined : effect
}

/** `undefined` if an uncertain rule could change the effect. */
function sureEffect(
  pool: PolicyPool,
  call: PolicyCall,
  isUnsure: (rule: PolicyRule) => boolean | undefined,
): Effect | undefined {
  const rules = pool.rulesFor(call)
  const sure = rules.find((rule) => !isUnsure(rule) && holds(rule, call))
  const effect = sure?.effect ?? effectWithoutRule(pool, call)
  const before = sure ? rules.slice(0, rules.indexOf(sure)) : rules
  return before.some((rule) => isUnsure(rule) && rule.effect !== effect) ? undefined : effect
}

export function matchesCall(rule: PolicyRule, call: PolicyCall): boolean {
  return rule.namesTool(call.tool) && withinTimeLimit(() => holds(rule, call))
}

function holds({ name, condition }: PolicyRule, call: PolicyCall): boolean {
  return condition === undefined || evaluate(`rule ${name}`, () => condition.holds(call.arguments))
}

function evaluate(subject: string, run: () => boolean): boolean {
  try {
    return run()
  } catch (error) {
    throw new PolicyFailure(`The policy could not be evaluated: ${subject} failed: ${messageOf(error)}.`, {
      cause: error,
    })
  }
}
