/** One approval as a person reads it before they decide: nothing is left out, and nothing can pretend to be something else. */
import type { Approval, Grant } from '../api/approval.ts'
import { ageOf } from './age.ts'
import { shownText } from './shown-text.ts'

export function renderApproval(approval: Approval, now: Date): readonly string[] {
  const { id, session, tool, rule, rule_reason: ruleReason, policy_version: version } = approval
  const asked = `${ageOf(approval.requested_at, now)} ago`
  const facts = [
    ['session', session],
    ['tool', tool],
    ['asked', approval.status === 'pending' ? `${asked}, open until ${approval.expires_at}` : asked],
    ['because of', `${rule ?? 'the default'} (${version})${ruleReason === undefined ? '' : `: ${ruleReason}`}`],
    ...answerOf(approval),
    ['approval', id],
    ['trace', approval.correlation],
    ...hiddenIn(approval),
  ] as const
  return [...facts.map(([name, value]) => fact(name, value)), '', ...renderArguments(approval.arguments)]
}

/** What an answer would leave behind, or has left. */
export function renderGrant(grant: Pick<Grant, 'tool' | 'when' | 'session'>): readonly string[] {
  const { tool, when, session } = grant
  return [
    fact('allows', tool),
    fact('in', session === undefined ? 'all sessions' : `the session ${session}`),
    ...(when
      ? ['', 'when the arguments fit', ...indented(JSON.stringify(when, null, 2))]
      : [fact('with', 'any arguments')]),
  ]
}

function answerOf({ status, decided_by: by, decided_at: at, reason, grant }: Approval): (readonly [string, string])[] {
  if (status === 'pending') return []
  const who = by === undefined ? '' : ` by ${by} at ${at}`
  return [
    ['status', `${status}${status === 'consumed' ? `: approved${who}` : who}`],
    ...(reason === undefined ? [] : [['reason', reason] as const]),
    ...(grant === undefined ? [] : [['grant', grant] as const]),
  ]
}

function hiddenIn({ hidden = [] }: Approval): (readonly [string, string])[] {
  const parts = hidden.map(({ at, characters }) => `${at === '' ? 'others' : at} (${characters} characters)`)
  return parts.length === 0 ? [] : [['hidden', parts.join(', ')]]
}

function renderArguments(given: Readonly<Record<string, unknown>>): readonly string[] {
  const entries = Object.entries(given)
  if (entries.length === 0) return ['without arguments']
  return entries.flatMap(([name, value]) => {
    // As it would be read in an editor.
    if (typeof value === 'string' && value.includes('\n')) {
      return [`${shownText(name)}:`, ...value.split('\n').map((line) => `  │ ${shownText(line)}`)]
    }
    const [first = '', ...rest] = JSON.stringify(value, null, 2).split('\n').map(shownText)
    return [`${shownText(name)}: ${first}`, ...rest]
  })
}

function fact(name: string, value: string): string {
  return `${name.padEnd(10)}  ${shownText(value)}`
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${shownText(line)}`)
}
