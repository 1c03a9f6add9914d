/**
 * The names that agents see: `[a-z0-9_]`, `<mount>_<tool>`, at most 48 characters. A name that is too long, or that
 * collides after this, gets a hash of its original name. So each name stays the same whatever else is listed.
 */
import { hash } from 'node:crypto'
import { ownMounts } from '../api/connector.ts'
import { toolPolicyName, withoutOtherMeaning } from '../api/policy-names.ts'
import type { ToolInfo } from '../mcp/mcp.ts'
import type { PolicyCall } from '../policy/policy.ts'

const maxLength = 48
const hashLength = 6

/** Exposed names by original names, for all tools or prompts of one mount. */
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

/** True for names that the hub itself uses, now or with another setting. No upstream may take them. */
function isOfHub(name: string): boolean {
  return ownNames.has(name) || ownMountOf(name) !== undefined
}

/** The hub's own mount that a tool of this name belongs to. */
export function ownMountOf(name: string): string | undefined {
  return ownMounts.find((mount) => name.startsWith(`${mount}_`))
}

const ownNames: ReadonlySet<string> = new Set(['search_tools', 'call_tool'])

/**
 * The other names of a tool: the one that its agent sees, and the one that the agent would see if nothing else were
 * listed or bound. So a rule that forbids one of them still applies when another tool or connector makes the name
 * longer. A rule that forbids an action of the mount also forbids a tool that has the name of the action.
 */
export function policyAliases({ mount, original, name, mayBeBare }: NamedTool): readonly string[] {
  const aliases = new Set([name, plainName(mount, original), `${mount}_${original}`, ...(mayBeBare ? [original] : [])])
  aliases.delete(toolPolicyName(mount, original))
  return [...aliases]
}

export interface NamedTool {
  readonly mount: string
  readonly original: string
  /** As it is listed. */
  readonly name: string
  /** The tools of its connector keep their names if the session has no other binding. */
  readonly mayBeBare: boolean
}

/** The names by which a policy knows a tool. */
export function policyNames({ name, subject = { tool: name } }: ToolInfo): PolicyNames {
  const { tool, aliases = [] } = subject
  return aliases.length > 0 ? { tool, aliases } : { tool }
}

export type PolicyNames = Pick<PolicyCall, 'tool' | 'aliases'>

function plainName(mount: string, original: string): string {
  return `${mount}_${withoutOtherMeaning(plainText(original.toLowerCase()))}`
}

/**
 * Replaces characters other than `[a-z0-9_]` by `_`. Written as a loop, because `replace` with a callback takes seconds
 * for the longest lists.
 */
function plainText(text: string): string {
  const plain = Buffer.allocUnsafe(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    plain[at] = isPlain(code) ? code : underscore
  }
  return plain.toString('latin1')
}

const underscore = 0x5f

function isPlain(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === underscore
}

/** Lengthens the hash if another tool has the hashed name. */
function withHash(name: string, original: string, isTaken: (name: string) => boolean): string {
  const digest = hash('sha256', original, 'hex')
  for (let length = hashLength; ; length++) {
    const hashed = `${name.slice(0, maxLength - length - 1)}_${digest.slice(0, length)}`
    if (!isTaken(hashed)) return hashed
  }
}
