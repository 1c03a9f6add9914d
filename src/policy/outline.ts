/** The positions of the rules in the text of a document, and the names of tools in them. */
import type { Effect } from '../api/policy.ts'
import { readDocument } from './document.ts'

export interface OutlinedRule {
  /** As in `hub#3`. */
  readonly number: number
  readonly line: number
  readonly effect: Effect
  readonly tools: readonly { readonly name: string; readonly line: number }[]
}

/** Throws a `HubError` whose message begins with the line of the mistake. */
export function outlineOf(source: string): readonly OutlinedRule[] {
  const { content, lineOf } = readDocument(source)
  return content.rules.map(({ effect, tools }, index) => ({
    number: index + 1,
    line: lineOf(['rules', index]),
    effect,
    tools: tools.map((name, place) => ({ name, line: lineOf(['rules', index, effect, place]) })),
  }))
}
