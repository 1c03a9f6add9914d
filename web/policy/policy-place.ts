/** The owner of a policy, as it stands in the address of the page: `hub`, `template~codex`, `session~checkout-retry`. */
import type { PolicyScope } from '../../src/api/policy.ts'

export interface PolicyPlace {
  readonly scope: PolicyScope
  readonly target?: string
}

export function placeIn(id: string): PolicyPlace {
  const [, scope, target] = /^(template|session)~(.+)$/.exec(id) ?? []
  if (scope === undefined || target === undefined) return { scope: 'hub' }
  return { scope: scope as PolicyScope, target }
}

export function idOf({ scope, target }: PolicyPlace): string {
  return target === undefined ? scope : `${scope}~${target}`
}

/** `Hub`, `Template codex` */
export function titleOf({ scope, target }: PolicyPlace): string {
  const word = { hub: 'Hub', template: 'Template', session: 'Session' }[scope]
  return target === undefined ? word : `${word} ${target}`
}
