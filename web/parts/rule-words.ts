/** Rules of policies in words. */

export interface NamedRule {
  /** `hub`, `session`, or `template:codex` */
  readonly owner: string
  readonly number: string
  /** The session whose rule it is, if it works for another one. */
  readonly session?: string
}

/** Reads `hub#4`, `template:codex#2` and `hub#1 of "helper"`. */
export function readRule(rule: string): NamedRule | undefined {
  const [, owner, number, session] = /^(.*)#(\d+)(?: of "(.+)")?$/.exec(rule) ?? []
  if (owner === undefined || number === undefined) return undefined
  return { owner, number, ...(session !== undefined && { session }) }
}

/** `rule 4 of the hub policy`, `rule 2 of the template codex` */
export function ruleWords(rule: string): string {
  const named = readRule(rule)
  if (!named) return rule
  const { owner, number, session } = named
  const place = owner.startsWith('template:') ? owner.replace(':', ' ') : `${owner} policy`
  return `rule ${number} of the ${place}${session === undefined ? '' : ` of "${session}"`}`
}
