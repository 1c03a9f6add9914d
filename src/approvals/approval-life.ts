/** What an approval comes to. Pure. */
import type { ApprovalStatus } from '../api/approval.ts'
import type { ApprovalRecord } from './approval-record.ts'

/** What a call that had to ask is told. */
export type Outcome =
  /** It is used up by this: run the tool, once. */
  | { readonly is: 'approved'; readonly id: string }
  | { readonly is: 'denied' | 'aborted' | 'expired'; readonly id: string; readonly reason?: string }
  /** The hold is over and nobody has answered. The same call again goes on waiting. */
  | { readonly is: 'waiting'; readonly id: string; readonly expiresAt: string }
  /** The caller has left, the session has ended, or the policy is another one. */
  | { readonly is: 'abandoned'; readonly id: string }

export function hasExpired({ expiresAt }: ApprovalRecord, now: Date): boolean {
  return Date.parse(expiresAt) <= now.getTime()
}

/** `used-up`: another call of the same kind waited too, and was first. */
export type Ending = Exclude<Outcome, { is: 'waiting' | 'approved' }> | { readonly is: 'used-up' } | undefined

/** What this tells to whoever waits for it. `undefined`: nothing yet. */
export function endingOf({ id, status, reason }: ApprovalRecord): Ending {
  switch (status) {
    case 'pending':
    case 'approved':
      return undefined
    case 'consumed':
      return { is: 'used-up' }
    case 'denied':
    case 'aborted':
    case 'expired':
      return { is: status, id, ...(reason !== undefined && { reason }) }
    case 'abandoned':
      return { is: status, id }
  }
}

/** Why it cannot be answered any more, for whoever tries. */
export function whyClosed({ id, status, decidedBy, decidedAt, reason, expiresAt }: ApprovalRecord): string {
  const who = `by ${decidedBy ?? 'nobody'} at ${decidedAt ?? 'no time'}${reason === undefined ? '' : ` (${reason})`}`
  const what: Readonly<Record<ApprovalStatus, string>> = {
    pending: `expired at ${expiresAt}, before anybody answered`,
    approved: `was approved ${who}`,
    consumed: `was approved ${who}, and its call has gone through`,
    denied: `was denied ${who}`,
    aborted: `was aborted ${who}`,
    expired: `expired at ${expiresAt}, before anybody answered`,
    abandoned:
      'is abandoned: its call was cancelled or cut off, its session has ended, or the policy is another one, so that nothing would come of an answer',
  }
  return `The approval ${id} ${what[status]}. It stays as it is.`
}
