/** Says in a few words what a version of a policy changed, for its history. */
import type { Policy, PolicyRule } from '../policy/policy.ts'

export function summaryOf(before: Policy, after: Policy): string {
  const added = rulesOnlyIn(after, before)
  const removed = rulesOnlyIn(before, after)
  if (before.default !== after.default) {
    const fallback = after.default === undefined ? 'no default' : `default: ${after.default}`
    return withMore(fallback, added.length + removed.length)
  }
  const [first] = added
  if (first) return withMore(first.reason ?? nameOf(first), added.length - 1)
  const [gone] = removed
  if (gone) return withMore(`without ${nameOf(gone)}`, removed.length - 1)
  if (before.isLocked !== after.isLocked) return after.isLocked ? 'default locked' : 'default not locked'
  return 'the same rules'
}

/** Two rules with the same content are the same, wherever they stand. */
function rulesOnlyIn({ rules }: Policy, other: Policy): readonly PolicyRule[] {
  const known = new Set(other.rules.map(contentOf))
  return rules.filter((rule) => !known.has(contentOf(rule)))
}

function contentOf({ effect, tools, when, reason }: PolicyRule): string {
  return JSON.stringify([effect, tools, when, reason])
}

/** `deny github_delete_*` */
function nameOf({ effect, tools }: PolicyRule): string {
  return withMore(`${effect} ${tools[0]}`, tools.length - 1)
}

function withMore(text: string, more: number): string {
  return more > 0 ? `${text}, and ${more} more` : text
}
