/** What ends by itself: approvals whose time is up, and whatever belongs to a session that has ended. */
import type { EventLog } from '../events/events.ts'
import type { ApprovalBook } from './approval-book.ts'
import type { ChangingRows } from './approval-changes.ts'
import { hasExpired } from './approval-life.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { revocation } from './grants.ts'

export interface Closing {
  /** The session has ended: none of its calls will come any more. */
  abandonOf(session: string): Promise<void>
  /** Also what an earlier hub, or another, had no time for. */
  sweep(): Promise<void>
}

export interface ClosingOptions {
  readonly book: ApprovalBook
  readonly rows: Pick<ApprovalStore, 'hasOverdue'>
  readonly events: Pick<EventLog, 'append'>
  readonly now: () => Date
}

const revokedBy = 'the end of its session'

export function createClosing({ book, rows, events, now }: ClosingOptions): Closing {
  async function close(
    changing: ChangingRows,
    approvals: readonly ApprovalRecord[],
    grants: readonly GrantRecord[],
  ): Promise<readonly GrantRecord[]> {
    for (const record of approvals) await changing.save(record, { status: 'abandoned' })
    for (const { id } of grants) await changing.revokeGrant(id, revokedBy, now().toISOString())
    return grants
  }

  async function tell(revoked: readonly GrantRecord[]): Promise<void> {
    for (const grant of revoked) await events.append(revocation(grant, { by: revokedBy }))
  }

  return {
    async abandonOf(session) {
      const revoked = await book.change(async (changing) =>
        close(changing, await changing.findOpen({ sessionId: session }), await changing.findGrantsOf(session)),
      )
      await tell(revoked)
    },
    async sweep() {
      if (!(await rows.hasOverdue(now().toISOString()))) return
      const revoked = await book.change(async (changing) => {
        const open = await changing.findOpen()
        // Not yet told: the same call, should it come again, hears that its time is up.
        for (const record of open) if (hasExpired(record, now())) await changing.save(record, { status: 'expired' })
        return close(changing, await changing.findOfEndedSessions(), await changing.findGrantsOfEndedSessions())
      })
      await tell(revoked)
    },
  }
}
