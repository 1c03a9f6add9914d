/** What can be said of a tool before it is called. */
import type { Effect } from '../api/policy.ts'
import type { CompiledGrant, PolicyCall, PolicyPool } from '../policy/policy.ts'

/** What is decided whatever the arguments are; `undefined` where they make a difference. */
export function foresee(
  pool: PolicyPool,
  grants: readonly CompiledGrant[],
  names: Pick<PolicyCall, 'tool' | 'alias'>,
): Effect | undefined {
  const rules = pool.rulesFor(names)
  const sure = rules.find(({ condition }) => condition === undefined)
  const effect = sure?.effect ?? pool.fallback.effect
  const before = sure ? rules.slice(0, rules.indexOf(sure)) : rules
  if (before.some((rule) => rule.effect !== effect)) return undefined
  // A grant may be for some arguments only.
  const isGranted = effect === 'ask' && grants.some((grant) => grant.matches({ ...names, arguments: {} }))
  return isGranted ? undefined : effect
}
