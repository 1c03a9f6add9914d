/** The documents that hold for one session, put together so that a call is decided by looking at a few rules. */
import type { Effect } from '../api/policy.ts'
import { effects, policyScopes } from '../api/policy.ts'
import type { Policy, PolicyCall, PolicyPlace, PolicyRule } from './policy.ts'

export interface PolicyPool {
  /** Widest scope first. */
  readonly policies: readonly Policy[]
  /** Such as `hub@3+template:codex@1+session@2`. */
  readonly version: string
  /** Where no rule matches: the effect, and whose word it is. */
  readonly fallback: { readonly effect: Effect; readonly from?: string }
  /** The rules that name its tool, the one that counts most first. */
  rulesFor(call: Pick<PolicyCall, 'tool' | 'aliases'>): readonly PolicyRule[]
}

/** Agents call the same tools again and again; one that calls thousands makes the hub look them up anew. */
const maxRemembered = 1_000

export function poolPolicies(policies: readonly Policy[]): PolicyPool {
  const pooled = policies.toSorted((one, other) => width(other) - width(one))
  // Stable: of equal effects the widest scope stays first, and in it the rule that is written first.
  const ranked = pooled
    .flatMap(({ rules }) => rules)
    .toSorted((one, other) => effects.indexOf(other.effect) - effects.indexOf(one.effect))
  const remembered = new Map<string, readonly PolicyRule[]>()
  return {
    policies: pooled,
    version: pooled.map(({ place }) => versionOf(place)).join('+'),
    fallback: fallbackOf(pooled),
    rulesFor({ tool, aliases = [] }) {
      // Agents choose some of the names: no two calls may have one key.
      const key = JSON.stringify([tool, ...aliases])
      const known = remembered.get(key)
      if (known) return known
      const namesAlias = (rule: PolicyRule) => rule.effect !== 'allow' && aliases.some((alias) => rule.namesTool(alias))
      const found = ranked.filter((rule) => rule.namesTool(tool) || namesAlias(rule))
      if (remembered.size >= maxRemembered) remembered.clear()
      remembered.set(key, found)
      return found
    },
  }
}

/** Such as `hub`, `template:codex`, `session`. */
export function nameOfPlace({ scope, target }: PolicyPlace): string {
  return scope === 'template' && target !== undefined ? `template:${target}` : scope
}

function versionOf(place: PolicyPlace): string {
  const { version, digest } = place
  return `${nameOfPlace(place)}@${version}${digest === undefined ? '' : `.${digest}`}`
}

function width({ place }: Policy): number {
  return policyScopes.length - policyScopes.indexOf(place.scope)
}

/** The narrowest word counts, unless a wider scope has locked its own. */
function fallbackOf(pooled: readonly Policy[]): PolicyPool['fallback'] {
  const stating = pooled.filter((policy) => policy.default !== undefined)
  const deciding = stating.find(({ isLocked }) => isLocked) ?? stating.at(-1)
  if (deciding?.default === undefined) return { effect: 'ask' }
  return { effect: deciding.default, from: nameOfPlace(deciding.place) }
}
