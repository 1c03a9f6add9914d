/** The outcomes of an approval. Pure functions. */
import type { ApprovalOutcome, ApprovalStatus } from '../api/approval.ts'
import type { ApprovalRecord } from './approval-record.ts'

/** An ended approval can have no further effect. An approved one is still open, because its call may still use it. */
export function isEnded({ status }: Pick<ApprovalRecord, 'status'>): boolean {
  return !openStatuses.includes(status)
}

export const openStatuses: readonly ApprovalStatus[] = ['pending', 'approved']

/** `consumed`: an equal call was waiting too and used the approval first. */
export type Ending = Exclude<ApprovalOutcome, { status: 'pending' | 'approved' }> | Consumed | undefined
export interface Consumed {
  readonly status: 'consumed'
}

/** The outcome that a waiting call receives. `undefined`: there is none yet. */
export function endingOf({ id, status, reason }: ApprovalRecord): Ending {
  switch (status) {
    case 'pending':
    case 'approved':
      return undefined
    case 'consumed':
      return { status }
    case 'denied':
    case 'aborted':
    case 'expired':
      return { status, id, ...(reason !== undefined && { reason }) }
    case 'abandoned':
      return { status, id }
  }
}

/** Tells a person why the approval can no longer be answered. */
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
