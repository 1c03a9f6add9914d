/** Combines the documents that apply to one session, so that a decision looks at a few rules only. */
import type { Effect } from '../api/policy.ts'
import { effects, policyScopes } from '../api/policy.ts'
import type { Policy, PolicyCall, PolicyPlace, PolicyRule } from './compiled-policy.ts'

export interface PolicyPool {
  /** Widest scope first. */
  readonly policies: readonly Policy[]
  /** Such as `hub@3+template:codex@1+session@2`. */
  readonly version: string
  /** Applies if no rule matches: the effect, and the document that states it. */
  readonly fallback: { readonly effect: Effect; readonly from?: string }
  /** The rules that name its tool, strictest first. */
  rulesFor(call: Pick<PolicyCall, 'tool' | 'aliases'>): readonly PolicyRule[]
}

/** Agents call the same tools again and again. After this many different tools the cache starts over. */
const maxRemembered = 1_000

export function poolPolicies(policies: readonly Policy[]): PolicyPool {
  const pooled = policies.toSorted((one, other) => width(other) - width(one))
  // The sort is stable: among equal effects the widest scope stays first, and in it the first rule.
  const ranked = pooled
    .flatMap(({ rules }) => rules)
    .toSorted((one, other) => effects.indexOf(other.effect) - effects.indexOf(one.effect))
  const remembered = new Map<string, readonly PolicyRule[]>()
  return {
    policies: pooled,
    version: pooled.map(({ place }) => versionOf(place)).join('+'),
    fallback: fallbackOf(pooled),
    rulesFor({ tool, aliases = [] }) {
      // Agents choose some of the names, so two different calls must never share a key.
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

/** The default of the narrowest scope applies, unless a wider scope has locked its own. */
function fallbackOf(pooled: readonly Policy[]): PolicyPool['fallback'] {
  const stating = pooled.filter((policy) => policy.default !== undefined)
  const deciding = stating.find(({ isLocked }) => isLocked) ?? stating.at(-1)
  if (deciding?.default === undefined) return { effect: 'ask' }
  return { effect: deciding.default, from: nameOfPlace(deciding.place) }
}
