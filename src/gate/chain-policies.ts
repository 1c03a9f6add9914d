/**
 * While one session works for another, the rules of both apply: a call that the caller may not make is not made for it
 * by a peer. The strictest decision over the chain counts. A grant frees only the session it was given to.
 */
import { effects } from '../api/policy.ts'
import { messageOf } from '../base/hub-error.ts'
import type { PolicyCall, Verdict } from '../policy/policy.ts'
import { PolicyFailure } from '../policy/policy.ts'
import type { ChainMember, Turns } from './turn.ts'

export interface ChainPolicies {
  /** Throws a `PolicyFailure` if one policy of the chain cannot be evaluated. The call must not run then. */
  decide(session: string, call: PolicyCall): Promise<Verdict>
  /** The version of all policies that apply to the session now. */
  versionOf(session: string): Promise<string>
}

export interface ChainPoliciesOptions {
  readonly policies: ChainPolicies
  readonly turns: Pick<Turns, 'callersOf'>
}

export function createChainPolicies({ policies, turns }: ChainPoliciesOptions): ChainPolicies {
  return {
    async decide(session, call) {
      const callers = turns.callersOf(session)
      const own = await policies.decide(session, call)
      if (callers.length === 0) return own
      const verdicts = [own]
      for (const caller of callers) verdicts.push(await ofCaller(caller, () => policies.decide(caller.id, call)))
      const policyVersion = joined(verdicts.map((verdict) => verdict.policyVersion))
      return {
        ...verdicts.reduce((strictest, next) => (isStricter(next, strictest) ? next : strictest)),
        policyVersion,
      }
    },
    async versionOf(session) {
      const chain = [session, ...turns.callersOf(session).map(({ id }) => id)]
      const versions: string[] = []
      for (const id of chain) versions.push(await policies.versionOf(id))
      return joined(versions)
    },
  }
}

/** The decision of a policy that applies because the session works for its owner. */
async function ofCaller({ name }: ChainMember, decide: () => Promise<Verdict>): Promise<Verdict> {
  try {
    const verdict = await decide()
    if (verdict.effect === 'allow') return verdict
    const { rule, reason } = verdict
    const because = reason === undefined ? '' : `: ${reason}`
    return {
      ...verdict,
      ...(rule !== undefined && { rule: `${rule} of "${name}"` }),
      reason: `this session works for "${name}", and the policy of "${name}" applies too${because}`,
    }
  } catch (error) {
    throw new PolicyFailure(
      `This session works for "${name}", and the policy of "${name}" could not be evaluated: ${messageOf(error)}`,
      { cause: error },
    )
  }
}

function isStricter(one: Verdict, other: Verdict): boolean {
  return effects.indexOf(one.effect) > effects.indexOf(other.effect)
}

function joined(versions: readonly string[]): string {
  return [...new Set(versions)].join(' + ')
}
