/** One approval as text for the person who decides. It leaves nothing out, and its values cannot imitate our own lines. */
import type { Approval, Grant } from '../../api/approval.ts'
import { ageOf } from '../terminal-output/age.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export function renderApproval(approval: Approval, now: Date): readonly string[] {
  const { id, session, tool, rule, rule_reason: ruleReason, policy_version: version } = approval
  const asked = `${ageOf(approval.requested_at, now)} ago`
  const facts = [
    ['session', session],
    ['tool', tool],
    ['asked', approval.status === 'pending' ? `${asked}, open until ${approval.expires_at}` : asked],
    ...(approval.waiting === false
      ? [['waits', 'no: the agent has moved on and must make the same call again'] as const]
      : []),
    ['because of', `${rule ?? 'the default'} (${version})${ruleReason === undefined ? '' : `: ${ruleReason}`}`],
    ...answerOf(approval),
    ['approval', id],
    ['trace', approval.correlation],
    ...hiddenIn(approval),
  ] as const
  return [...facts.map(([name, value]) => fact(name, value)), '', ...renderArguments(approval.arguments)]
}

/** The grant that an answer would create, or has created. */
export function renderGrant(grant: Pick<Grant, 'tool' | 'when' | 'session'>): readonly string[] {
  const { tool, when, session } = grant
  return [
    fact('allows', tool),
    fact('in', session === undefined ? 'all sessions' : `the session ${session}`),
    ...(when
      ? ['', 'if the arguments match', ...indented(JSON.stringify(when, null, 2))]
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
  if (entries.length === 0) return ['no arguments']
  return entries.flatMap(([name, value]) => {
    // Shows text of several lines as in an editor.
    if (typeof value === 'string' && value.includes('\n')) {
      return [`${visibleText(name)}:`, ...value.split('\n').map((line) => `  │ ${visibleText(line)}`)]
    }
    const [first = '', ...rest] = JSON.stringify(value, null, 2).split('\n').map(visibleText)
    return [`${visibleText(name)}: ${first}`, ...rest]
  })
}

function fact(name: string, value: string): string {
  return `${name.padEnd(10)}  ${visibleText(value)}`
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${visibleText(line)}`)
}
