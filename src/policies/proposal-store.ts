/** The SQL of proposals: rules that agents ask for, and the decisions on them. */
import type { Proposal } from '../api/policy.ts'
import type { Store } from '../store/store.ts'
import type { SavedPolicy } from './policy-store.ts'

export type ProposalStatus = Proposal['status']

export interface ProposalRecord {
  readonly id: string
  readonly sessionId: string
  readonly sessionName: string
  readonly rules: string
  readonly why: string
  readonly status: ProposalStatus
  readonly createdAt: string
  readonly decidedAt: string | undefined
  readonly decidedBy: string | undefined
  readonly reason: string | undefined
}

export interface ProposalEnd {
  readonly id: string
  readonly status: Exclude<ProposalStatus, 'pending'>
  readonly at: string
  readonly by: string
  readonly reason: string | undefined
}

export interface ProposalStore {
  find(id: string): Promise<ProposalRecord | undefined>
  /** Newest first. */
  list(filter: ProposalFilter): Promise<readonly ProposalRecord[]>
  /** Returns false if the session already has `maxPending` pending proposals. */
  insert(proposal: NewProposal, maxPending: number): Promise<boolean>
  /** Returns false if the proposal is no longer pending. */
  end(end: ProposalEnd): Promise<boolean>
  /** Deletes rejected and withdrawn proposals, the oldest first, until the remaining ones fit into `maxBytes`. */
  dropEnded(maxBytes: number): Promise<void>
  /** Does both in one transaction. */
  endAndSave(end: ProposalEnd, policy: SavedPolicy): Promise<'done' | 'not-pending' | 'version-taken'>
}

export type NewProposal = Pick<ProposalRecord, 'id' | 'sessionId' | 'rules' | 'why' | 'createdAt'>

export interface ProposalFilter {
  readonly status?: ProposalStatus | undefined
  readonly sessionId?: string | undefined
  readonly limit: number
}

export function createProposalStore({ db }: Store): ProposalStore {
  const rows = () =>
    db
      .selectFrom('policy_proposals')
      .innerJoin('sessions', 'sessions.id', 'policy_proposals.session_id')
      .selectAll('policy_proposals')
      .select('sessions.name as session_name')
  return {
    async find(id) {
      const row = await rows().where('policy_proposals.id', '=', id).executeTakeFirst()
      return row && toProposal(row)
    },
    async list({ status, sessionId, limit }) {
      let query = rows().orderBy('policy_proposals.created_at', 'desc').orderBy('policy_proposals.id', 'desc')
      if (status) query = query.where('policy_proposals.status', '=', status)
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
      return (await query.limit(limit).execute()).map(toProposal)
    },
    insert: ({ id, sessionId, rules, why, createdAt }, maxPending) =>
      db.transaction().execute(async (transaction) => {
        const pending = await transaction
          .selectFrom('policy_proposals')
          .select('id')
          .where('session_id', '=', sessionId)
          .where('status', '=', 'pending')
          .limit(maxPending)
          .execute()
        if (pending.length >= maxPending) return false
        const undecided = { decided_at: null, decided_by: null, reason: null }
        const values = { id, session_id: sessionId, rules, why, status: 'pending', created_at: createdAt, ...undecided }
        await transaction.insertInto('policy_proposals').values(values).execute()
        return true
      }),
    end: (end) => endIn(db, end),
    async dropEnded(maxBytes) {
      const newestFirst = await db
        .selectFrom('policy_proposals')
        .select((row) => [
          'id',
          row(
            row(row.fn<number>('octet_length', ['rules']), '+', row.fn<number>('octet_length', ['why'])),
            '+',
            row.lit(otherBytes),
          ).as('bytes'),
        ])
        .where('status', 'in', ['withdrawn', 'rejected'])
        .orderBy('decided_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      let bytes = 0
      const old = newestFirst.filter((row) => (bytes += row.bytes) > maxBytes).map(({ id }) => id)
      for (let start = 0; start < old.length; start += idsPerDelete) {
        const some = old.slice(start, start + idsPerDelete)
        await db.deleteFrom('policy_proposals').where('id', 'in', some).execute()
      }
    },
    endAndSave: (end, { savedAt, savedBy, ...policy }) =>
      db
        .transaction()
        .execute(async (transaction) => {
          if (!(await endIn(transaction, end))) return 'not-pending' as const
          const inserted = await transaction
            .insertInto('policies')
            .values({ ...policy, saved_at: savedAt, saved_by: savedBy })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst()
          if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) throw new VersionTaken()
          return 'done' as const
        })
        .catch((error: unknown) => {
          if (error instanceof VersionTaken) return 'version-taken' as const
          throw error
        }),
  }
}

/** SQLite takes at most 32,766 parameters. */
const idsPerDelete = 1_000
/** Estimated size of the columns that an agent does not write. */
const otherBytes = 500

/** Thrown to roll the transaction back. */
class VersionTaken extends Error {}

async function endIn(
  db: Pick<Store['db'], 'updateTable'>,
  { id, status, at, by, reason }: ProposalEnd,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('policy_proposals')
    .set({ status, decided_at: at, decided_by: by, reason: reason ?? null })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

interface StoredProposal {
  readonly id: string
  readonly session_id: string
  readonly session_name: string
  readonly rules: string
  readonly why: string
  readonly status: string
  readonly created_at: string
  readonly decided_at: string | null
  readonly decided_by: string | null
  readonly reason: string | null
}

function toProposal(stored: StoredProposal): ProposalRecord {
  return {
    id: stored.id,
    sessionId: stored.session_id,
    sessionName: stored.session_name,
    rules: stored.rules,
    why: stored.why,
    status: stored.status as ProposalStatus,
    createdAt: stored.created_at,
    decidedAt: stored.decided_at ?? undefined,
    decidedBy: stored.decided_by ?? undefined,
    reason: stored.reason ?? undefined,
  }
}
