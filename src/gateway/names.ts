/**
 * The names agents see: `[a-z0-9_]`, `<mount>_<tool>`, at most 48 characters. What is too long, or the same as another
 * after that, carries a hash of its own name, so that each stays what it is whoever else is listed.
 */
import { createHash } from 'node:crypto'
import { ownMounts } from '../api/connector.ts'
import type { Tool } from '../mcp/mcp.ts'
import type { PolicyCall } from '../policy/policy.ts'

const maxLength = 48
const hashLength = 6

/** Exposed names by original ones, for all the tools or prompts of one mount. */
export function exposeNames(
  mount: string,
  originals: Iterable<string>,
  { hasPrefix }: { readonly hasPrefix: boolean },
): ReadonlyMap<string, string> {
  const all = [...new Set(originals)]
  const isKept = (original: string) => !hasPrefix && !isOfHub(original)
  const kept = all.filter(isKept)
  const plain = all.filter((each) => !isKept(each)).map((each) => [each, plainName(mount, each)] as const)
  const counts = new Map<string, number>()
  for (const name of [...kept, ...plain.map(([, each]) => each)]) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isClear = (name: string) => name.length <= maxLength && counts.get(name) === 1 && !isOfHub(name)
  const isTaken = (name: string) => counts.has(name)
  return new Map([
    ...kept.map((original) => [original, original] as const),
    ...plain.map(([each, name]) => [each, isClear(name) ? name : withHash(name, each, isTaken)] as const),
  ])
}

/** What the hub itself offers, now or with another setting: nobody may be called instead of it. */
function isOfHub(name: string): boolean {
  return ownNames.has(name) || ownMountOf(name) !== undefined
}

/** The mount of the hub's own that a tool of this name is in. */
export function ownMountOf(name: string): string | undefined {
  return ownMounts.find((mount) => name.startsWith(`${mount}_`))
}

const ownNames: ReadonlySet<string> = new Set(['search_tools', 'call_tool'])

/** As a rule of a policy names it: nothing is shortened, so no alias escapes a rule. */
export function policyName(mount: string, original: string): string {
  return `${mount}_${original}`
}

/**
 * What else it may be called: as its agent sees it, and as it would if nothing else were listed or bound. A rule that
 * forbids one of them goes on doing so when another tool or connector makes the name longer.
 */
export function policyAliases({ mount, original, name, mayBeBare }: NamedTool): readonly string[] {
  const aliases = new Set([name, plainName(mount, original), ...(mayBeBare ? [original] : [])])
  aliases.delete(policyName(mount, original))
  return [...aliases]
}

export interface NamedTool {
  readonly mount: string
  readonly original: string
  /** As it is listed. */
  readonly name: string
  /** Its connector's tools keep their names, where the session is bound to nothing else. */
  readonly mayBeBare: boolean
}

/** How a policy knows a tool. */
export function policyNames({ name, policyName: named = name, policyAliases: aliases = [] }: Tool): PolicyNames {
  return aliases.length > 0 ? { tool: named, aliases } : { tool: named }
}

export type PolicyNames = Pick<PolicyCall, 'tool' | 'aliases'>

function plainName(mount: string, original: string): string {
  return `${mount}_${original.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`
}

/** Another one may really be named so. */
function withHash(name: string, original: string, isTaken: (name: string) => boolean): string {
  const digest = createHash('sha256').update(original).digest('hex')
  for (let length = hashLength; ; length++) {
    const hashed = `${name.slice(0, maxLength - length - 1)}_${digest.slice(0, length)}`
    if (!isTaken(hashed)) return hashed
  }
}
