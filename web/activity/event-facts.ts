/** The facts of an event, in one line. */
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Usage } from '../../src/api/thread.ts'
import { asArguments } from '../approvals/question.ts'
import { spentText, tokenCount } from '../parts/amounts.ts'
import { tookText } from '../parts/time.ts'
import { recordedSummary, shortRule } from './waterfall.ts'

/** In this order, where an event has them. */
const told = ['tool', 'model', 'name', 'is', 'status', 'outcome', 'reason', 'host', 'connector', 'version'] as const
const longest = 300

export function factsOf({ payload }: LoggedEvent): string {
  const decision = asArguments(payload['decision'])
  const usage = payload['usage'] as Usage | undefined
  const facts = [
    ...told.map((name) => payload[name]),
    recordedSummary(asArguments(payload['arguments'])),
    decision['effect'] !== undefined && decisionWords(decision),
    Array.isArray(payload['chain']) && payload['chain'].join(' → '),
    typeof payload['ms'] === 'number' && tookText(payload['ms']),
    usage && `${tokenCount(usage.input_tokens)} in, ${tokenCount(usage.output_tokens)} out`,
    usage?.cost_usd !== undefined && spentText(usage),
  ]
  return facts
    .filter((fact) => (typeof fact === 'string' || typeof fact === 'number') && fact !== '')
    .join(' · ')
    .replaceAll('\n', ' ')
    .slice(0, longest)
}

function decisionWords({ effect, rule }: Readonly<Record<string, unknown>>): string {
  return typeof rule === 'string' ? `${String(effect)} by ${shortRule(rule)}` : String(effect)
}
