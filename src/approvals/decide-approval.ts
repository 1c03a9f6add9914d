/**
 * Applies a person's answer. If two people answer at once, the first counts and the second gets an error that names the
 * first.
 */
import type { ApprovalDecision, ApprovalScope, ApprovalStatus } from '../api/approval.ts'
import type { Deadlines } from '../base/deadlines.ts'
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { ApprovalRegistry } from './approval-registry.ts'
import { whyClosed } from './approval-outcome.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { placeInLog } from './approval-record.ts'
import type { ApprovalStore } from './approval-store.ts'
import type { GrantDraft, GrantRule } from './draft-grant.ts'
import { draftGrant } from './draft-grant.ts'

export interface Answer {
  readonly decision: ApprovalDecision
  readonly reason?: string | undefined
  /** Any scope but `once` requires `approve`. */
  readonly scope: ApprovalScope
  /** Only with the scope `rule`. Without it, the hub proposes the narrowest rule. */
  readonly rule?: GrantRule | undefined
}

export interface Decisions {
  decide(id: string, answer: Answer, by: Principal): Promise<ApprovalRecord>
  /** Shows the grant that the answer would make. Changes nothing. */
  preview(id: string, answer: Answer): Promise<Preview>
}

export interface Preview {
  readonly approval: ApprovalRecord
  readonly grant: GrantDraft | undefined
}

export interface DecisionsOptions {
  readonly registry: ApprovalRegistry
  readonly rows: Pick<ApprovalStore, 'findWhole'>
  readonly events: Pick<EventLog, 'append'>
  readonly redactor: Redactor
  readonly now: () => Date
  readonly deadlines: Deadlines
}

export function createDecisions({ registry, rows, events, redactor, now, deadlines }: DecisionsOptions): Decisions {
  function openOne(id: string, found: ApprovalRecord | undefined): ApprovalRecord {
    if (!found) throw new HubError('not-found', `There is no approval "${id}". Call list_approvals for the ids.`)
    if (found.status === 'pending' && !deadlines.hasPassed(id, found.expiresAt)) return found
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
      const decided = await registry.change(
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

/** People recognise a token by its label. */
export function nameOf({ label, tokenId }: Principal): string {
  return label ?? tokenId
}

const statusAfter: Readonly<Record<ApprovalDecision, ApprovalStatus>> = {
  approve: 'approved',
  deny: 'denied',
  abort: 'aborted',
}
