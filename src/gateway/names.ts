/**
 * The names agents see: `[a-z0-9_]`, `<mount>_<tool>`, at most 48 characters. What is too long, or the same as another
 * after that, carries a hash of its own name, so that each stays what it is whoever else is listed.
 */
import { createHash } from 'node:crypto'

const maxLength = 48
const hashLength = 6

/** Exposed names by original ones, for all the tools or prompts of one mount. */
export function exposeNames(mount: string, originals: Iterable<string>): ReadonlyMap<string, string> {
  const plain = [...new Set(originals)].map((original) => [original, plainName(mount, original)] as const)
  const counts = new Map<string, number>()
  for (const [, name] of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isClear = (name: string) => name.length <= maxLength && counts.get(name) === 1
  return new Map(plain.map(([original, name]) => [original, isClear(name) ? name : withHash(name, original)]))
}

/** As a rule of a policy names it: nothing is shortened, so no alias escapes a rule. */
export function policyName(mount: string, original: string): string {
  return `${mount}_${original}`
}

function plainName(mount: string, original: string): string {
  return `${mount}_${original.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`
}

function withHash(name: string, original: string): string {
  const hash = createHash('sha256').update(original).digest('hex').slice(0, hashLength)
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`
}
