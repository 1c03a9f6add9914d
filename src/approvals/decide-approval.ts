/** A person's answer. Of two at once, one counts and the other is told. */
import type { ApprovalDecision, ApprovalScope, ApprovalStatus } from '../api/approval.ts'
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { ApprovalBook } from './approval-book.ts'
import { hasExpired, whyClosed } from './approval-life.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { placeInLog } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import type { GrantDraft, GrantRule } from './draft-grant.ts'
import { draftGrant } from './draft-grant.ts'

export interface Answer {
  readonly decision: ApprovalDecision
  readonly reason?: string | undefined
  /** More than once only with `approve`. */
  readonly scope: ApprovalScope
  /** With the scope `rule`; without it, one is proposed. */
  readonly rule?: GrantRule | undefined
}

export interface Decisions {
  decide(id: string, answer: Answer, by: Principal): Promise<ApprovalRecord>
  /** What the same answer would leave behind; changes nothing. */
  preview(id: string, answer: Answer): Promise<Preview>
}

export interface Preview {
  readonly approval: ApprovalRecord
  readonly grant: GrantDraft | undefined
}

export interface DecisionsOptions {
  readonly book: ApprovalBook
  readonly rows: Pick<ApprovalStore, 'findWhole'>
  readonly events: Pick<EventLog, 'append'>
  readonly redactor: Redactor
  readonly now: () => Date
}

export function createDecisions({ book, rows, events, redactor, now }: DecisionsOptions): Decisions {
  function openOne(id: string, found: ApprovalRecord | undefined): ApprovalRecord {
    if (!found) throw new HubError('not-found', `There is no approval "${id}". Call list_approvals for the ids.`)
    if (found.status === 'pending' && !hasExpired(found, now())) return found
    throw new HubError('conflict', whyClosed(found))
  }

  async function preview(id: string, answer: Answer): Promise<Preview> {
    const { decision, scope, rule } = answer
    if (decision !== 'approve' && scope !== 'once') {
      throw new HubError(
        'invalid',
        `"scope": only "approve" can be given for more than this call. To ${decision} such calls for good, write a rule with set_policy.`,
      )
    }
    const approval = openOne(id, await rows.findWhole(id))
    return { approval, grant: await draftGrant(approval, { scope, rule }) }
  }

  return {
    preview,
    async decide(id, answer, by) {
      const { grant } = await preview(id, answer)
      const decidedAt = now().toISOString()
      const decidedBy = nameOf(by)
      const { decision, scope, reason } = answer
      const decided = await book.change(
        async (changing) => {
          const open = openOne(id, await changing.find(id))
          if (grant) {
            const made = { createdAt: decidedAt, createdBy: decidedBy, revokedAt: undefined, revokedBy: undefined }
            await changing.insertGrant({ ...grant, ...made })
          }
          return changing.save(open, {
            status: statusAfter[decision],
            decidedAt,
            decidedBy,
            reason: reason === undefined ? undefined : redactor.text(reason),
            grantId: grant?.id,
          })
        },
        { scope, token_id: by.tokenId },
      )
      if (grant) {
        const { id: made, tool, when } = grant
        const payload = {
          grant: made,
          approval: id,
          tool,
          scope,
          ...(when && { when }),
          by: decidedBy,
          token_id: by.tokenId,
        }
        await events.append({ type: 'grant-made', ...placeInLog(decided), payload })
      }
      return decided
    },
  }
}

/** As people know a token: by what it is for. */
export function nameOf({ label, tokenId }: Principal): string {
  return label ?? tokenId
}

const statusAfter: Readonly<Record<ApprovalDecision, ApprovalStatus>> = {
  approve: 'approved',
  deny: 'denied',
  abort: 'aborted',
}
