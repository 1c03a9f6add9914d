/** Closes approvals that have expired, and the approvals and grants of ended sessions. */
import type { Deadlines } from '../base/deadlines.ts'
import type { EventLog } from '../events/events.ts'
import type { ApprovalRegistry } from './approval-registry.ts'
import type { ChangingRows } from './approval-changes.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import { revocation } from './grants.ts'

export interface Sweeper {
  /** The session has ended and makes no more calls. */
  abandonOf(session: string): Promise<void>
  /** Also closes what an earlier hub or another hub left open. */
  sweep(): Promise<void>
}

export interface SweeperOptions {
  readonly registry: ApprovalRegistry
  readonly rows: Pick<ApprovalStore, 'hasOverdue'>
  readonly events: Pick<EventLog, 'note'>
  readonly now: () => Date
  readonly deadlines: Deadlines
}

const revokedBy = 'the end of its session'

export function createSweeper({ registry, rows, events, now, deadlines }: SweeperOptions): Sweeper {
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
    await Promise.all(revoked.map((grant) => events.note(revocation(grant, { by: revokedBy }))))
  }

  return {
    async abandonOf(session) {
      const revoked = await registry.change(async (changing) =>
        close(changing, await changing.findOpen({ sessionId: session }), await changing.findGrantsOf(session)),
      )
      await tell(revoked)
    },
    async sweep() {
      if (!deadlines.hasAnyPassed() && !(await rows.hasOverdue(now().toISOString()))) return
      const revoked = await registry.change(async (changing) => {
        const open = await changing.findOpen()
        // Leave `toldAt` empty: if the same call comes again, it is told that the approval expired.
        for (const record of open) {
          if (deadlines.hasPassed(record.id, record.expiresAt)) await changing.save(record, { status: 'expired' })
        }
        return close(changing, await changing.findOfEndedSessions(), await changing.findGrantsOfEndedSessions())
      })
      // A deadline that has passed without an open approval belongs to one that another hub closed.
      deadlines.forgetPassed()
      await tell(revoked)
    },
  }
}
