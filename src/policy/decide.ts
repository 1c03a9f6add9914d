import type { Effect } from '../api/policy.ts'
import { messageOf } from '../base/hub-error.ts'
import type { CompiledGrant } from './compile.ts'
import type { PolicyPool } from './pool.ts'
import type { PolicyCall, PolicyRule, Verdict } from './policy.ts'

/** The policy could not be evaluated: nobody may take that for a yes. */
export class PolicyFailure extends Error {
  override readonly name = 'PolicyFailure'
}

/** The strictest match wins; where nothing matches, the default; and a grant turns a question into a yes, nothing else. */
export function decide(pool: PolicyPool, grants: readonly CompiledGrant[], call: PolicyCall): Verdict {
  const verdict = judge(pool, call)
  if (verdict.effect !== 'ask') return verdict
  const grant = grants.find((one) => evaluate(`grant ${one.id}`, () => one.matches(call)))
  if (!grant) return verdict
  const { rule, policyVersion } = verdict
  return { effect: 'allow', grant: grant.id, policyVersion, ...(rule !== undefined && { rule }) }
}

function judge(pool: PolicyPool, call: PolicyCall): Verdict {
  const policyVersion = pool.version
  const rule = pool.rulesFor(call).find((one) => holds(one, call))
  if (!rule) return { effect: pool.fallback.effect, policyVersion }
  const { effect, name, reason } = rule
  return { effect, rule: name, policyVersion, ...(reason !== undefined && { reason }) }
}

/** For calls of which some arguments are not known any more: whether those could make the effect another one. */
export function couldDiffer(pool: PolicyPool, call: PolicyCall, hidden: readonly string[]): boolean {
  return sureEffect(pool, call, ({ condition }) => hidden.some((name) => condition?.looksAt(name))) === undefined
}

/** What is decided on a tool whatever its arguments are; `undefined` where they make a difference. */
export function foresee(
  pool: PolicyPool,
  grants: readonly CompiledGrant[],
  names: Pick<PolicyCall, 'tool' | 'aliases'>,
): Effect | undefined {
  const call = { ...names, arguments: {} }
  const effect = sureEffect(pool, call, ({ condition }) => condition !== undefined)
  // A grant may be for some arguments only.
  return effect === 'ask' && grants.some((grant) => grant.matches(call)) ? undefined : effect
}

/** `undefined`: a rule of which nobody can be sure would make it another one. */
function sureEffect(
  pool: PolicyPool,
  call: PolicyCall,
  isUnsure: (rule: PolicyRule) => boolean | undefined,
): Effect | undefined {
  const rules = pool.rulesFor(call)
  const sure = rules.find((rule) => !isUnsure(rule) && holds(rule, call))
  const effect = sure?.effect ?? pool.fallback.effect
  const before = sure ? rules.slice(0, rules.indexOf(sure)) : rules
  return before.some((rule) => isUnsure(rule) && rule.effect !== effect) ? undefined : effect
}

export function matchesCall(rule: PolicyRule, call: PolicyCall): boolean {
  return rule.namesTool(call.tool) && holds(rule, call)
}

function holds({ name, condition }: PolicyRule, call: PolicyCall): boolean {
  return condition === undefined || evaluate(`rule ${name}`, () => condition.holds(call.arguments))
}

function evaluate(what: string, run: () => boolean): boolean {
  try {
    return run()
  } catch (error) {
    throw new PolicyFailure(`The policy could not be evaluated: ${what} failed: ${messageOf(error)}`, { cause: error })
  }
}
