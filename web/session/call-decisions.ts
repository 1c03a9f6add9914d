/**
 * The policy's decisions about the calls of a thread, from the event log. Events have no id of the call in its thread,
 * so a call is found by its name and its arguments; equal calls are told apart by their order.
 */
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Effect } from '../../src/api/policy.ts'
import { asArguments } from '../approvals/question.ts'
import { readRule } from '../parts/rule-words.ts'
import type { ThreadItem } from './thread-items.ts'

export interface CallDecision {
  readonly effect: Effect
  /** Such as `hub#3`. Absent if the default decided. */
  readonly rule?: string
}

type Arguments = Readonly<Record<string, unknown>>

export interface RecordedCall {
  /** Our name and, for a tool of the agent itself, also the name that the agent uses. */
  readonly names: readonly string[]
  /** As recorded and, for a tool of the agent itself, also as the agent wrote them. */
  readonly arguments: readonly Arguments[]
  readonly decision: CallDecision
}

/** An event `tool-called`. Calls of people have no decision. */
export function toCall({ payload }: LoggedEvent): readonly RecordedCall[] {
  const { effect, rule } = asArguments(payload['decision']) as Partial<CallDecision>
  if (effect === undefined) return []
  const all = asArguments(payload['arguments'])
  const { agent_tool: ownName, agent_arguments: ownArguments, ...args } = all
  return [
    {
      names: [String(payload['tool']), ...(typeof ownName === 'string' ? [ownName] : [])],
      arguments: [args, ...(ownArguments === undefined ? [] : [asArguments(ownArguments)])],
      decision: { effect, ...(rule !== undefined && { rule }) },
    },
  ]
}

/** By the key of the call in the thread. */
export function decisionsOf(
  items: readonly ThreadItem[],
  recorded: readonly RecordedCall[],
): ReadonlyMap<string, CallDecision> {
  const left = new Map<string, Set<RecordedCall>>()
  for (const call of recorded) {
    for (const name of call.names) left.set(name, (left.get(name) ?? new Set()).add(call))
  }
  const found = new Map<string, CallDecision>()
  for (const item of items) {
    if (item.is !== 'call') continue
    const calls = left.get(item.name.replace(/^mcp__signalbox__/, ''))
    const match = calls?.values().find((call) => call.arguments.some((args) => isSame(args, item.parameters)))
    if (!match) continue
    for (const name of match.names) left.get(name)?.delete(match)
    found.set(item.key, match.decision)
  }
  return found
}

/** Text typed into a terminal is not recorded, and secrets are redacted: these match anything. */
function isSame(recorded: Arguments, asked: Arguments): boolean {
  const names = Object.keys(recorded)
  if (names.length !== Object.keys(asked).length) return false
  return names.every((name) => {
    const value = recorded[name]
    if (typeof value === 'string' && /^\[.*\]$/s.test(value)) return name in asked
    return JSON.stringify(value) === JSON.stringify(asked[name])
  })
}

/** `rule 3`, and where it is written. */
export function decidedBy(rule: string): { readonly short: string; readonly long: string } {
  const named = readRule(rule)
  if (!named || named.session !== undefined) return { short: rule, long: `Decided by ${rule}` }
  return { short: `rule ${named.number}`, long: `Decided by rule ${named.number} of the ${named.owner} policy` }
}
