/** An event of the log in a line. */
import type { LoggedEvent } from '../../src/api/event.ts'
import { asArguments } from '../approvals/question.ts'
import type { DecisionMarkName } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'

/** The groups by which events are filtered. */
export const eventGroups = {
  all: 'All',
  calls: 'Calls',
  models: 'Models',
  approvals: 'Approvals',
  turns: 'Turns',
} as const
export type EventGroup = keyof typeof eventGroups

const patterns: Readonly<Record<EventGroup, RegExp>> = {
  all: /./,
  calls: /^(tool-|calls-|action-|network-)/,
  models: /^model-/,
  approvals: /^(approval-|grant-|policy-)/,
  turns: /^(turn-|session-|activity-|dialog-|job-|chat-)/,
}

export function isIn(group: EventGroup, { type }: LoggedEvent): boolean {
  return patterns[group].test(type)
}

/** The subject of an event: a tool, a model, a status. */
export function aboutEvent({ payload }: LoggedEvent): string {
  const { tool, model, status, outcome, is, name, host, ms, reason, question, pressed } = payload
  const decision = asArguments(payload['decision'])
  const words = [
    tool ?? model ?? host ?? is ?? question ?? name,
    pressed,
    outcome ?? status ?? decision['effect'],
    decision['rule'],
    reason,
  ]
  const texts = words.filter((word) => typeof word === 'string' && word !== '')
  return [...texts, ...(typeof ms === 'number' ? [tookText(ms)] : [])].join(' · ')
}

/** `undefined`: nothing was decided. */
export function markOf({ type, payload }: LoggedEvent): DecisionMarkName | undefined {
  const effect =
    asArguments(payload['decision'])['effect'] ?? { approved: 'allow', denied: 'deny' }[String(payload['status'])]
  if (type === 'approval-requested') return 'ask'
  if (effect === 'allow' || effect === 'ask' || effect === 'deny' || effect === 'abort') return effect
  return type.endsWith('-answered') && payload['outcome'] !== 'ok' ? 'abort' : undefined
}
