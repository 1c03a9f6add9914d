/** Reads approvals and grants. This file and `approval-changes.ts` hold all SQL of the feature. */
import type { ApprovalStatus, PendingApprovals } from '../api/approval.ts'
import { isOver, sessionStatuses } from '../api/session.ts'
import type { Store } from '../store/store.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import { openStatuses } from './approval-outcome.ts'
import { toApproval, toGrant } from './approval-record.ts'

/** The position of an approval in the list, newest first. */
export type ApprovalPlace = Pick<ApprovalRecord, 'requestedAt' | 'id'>

export interface ApprovalFilter {
  readonly status?: ApprovalStatus | undefined
  readonly sessionId?: string | undefined
  readonly after?: ApprovalPlace | undefined
  readonly limit: number
}

export interface GrantFilter {
  readonly sessionId?: string | undefined
  readonly withRevoked?: boolean
}

/** Every method but `findWhole` returns excerpts of large arguments: a list of whole ones might not fit into memory. */
export interface ApprovalStore {
  find(id: string): Promise<ApprovalRecord | undefined>
  findWhole(id: string): Promise<ApprovalRecord | undefined>
  /** Newest first. */
  list(filter: ApprovalFilter): Promise<readonly ApprovalRecord[]>
  /** In the order of their last change. */
  listPending(limit: number): Promise<readonly ApprovalRecord[]>
  pendingOf(
    session: string,
  ): Promise<Omit<PendingApprovals, 'isHeld' | 'isDeserted'> & { readonly hubIds: readonly string[] }>
  sessionsWithPending(): Promise<readonly string[]>
  /** In the order of their last change. */
  changedSince(revision: number, limit: number): Promise<readonly ApprovalRecord[]>
  lastRevision(): Promise<number>
  /** The expiry times of all open approvals. */
  listExpiries(): Promise<readonly Pick<ApprovalRecord, 'id' | 'expiresAt'>[]>
  findGrant(id: string): Promise<GrantRecord | undefined>
  /** Newest first. For a session, it includes the grants that apply to all sessions. */
  listGrants(filter: GrantFilter): Promise<readonly GrantRecord[]>
  /** True if an open approval has expired by `now`, or an open approval or grant belongs to an ended session. */
  hasOverdue(now: string): Promise<boolean>
  listUnannounced(): Promise<readonly ApprovalRecord[]>
  /** Deletes ended approvals, the oldest first, until the remaining ended ones fit into `maxBytes`. */
  dropEnded(maxBytes: number): Promise<void>
  /** Returns true to exactly one caller, across all hubs and restarts. */
  claimAnnouncement(id: string, at: string): Promise<boolean>
}

export function createApprovalStore({ db }: Store): ApprovalStore {
  return {
    async find(id) {
      const row = await approvalRows(db).where('approvals.id', '=', id).executeTakeFirst()
      return row && toApproval(row)
    },
    async findWhole(id) {
      const row = await withSession(db).select('arguments').where('approvals.id', '=', id).executeTakeFirst()
      return row && toApproval(row)
    },
    async list({ status, sessionId, after, limit }) {
      let query = approvalRows(db).orderBy('requested_at', 'desc').orderBy('approvals.id', 'desc').limit(limit)
      if (status) query = query.where('approvals.status', '=', status)
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
      if (after) {
        const { requestedAt, id } = after
        query = query.where(({ eb, or, and }) =>
          or([
            eb('requested_at', '<', requestedAt),
            and([eb('requested_at', '=', requestedAt), eb('approvals.id', '<', id)]),
          ]),
        )
      }
      return (await query.execute()).map(toApproval)
    },
    async listPending(limit) {
      const query = approvalRows(db).where('approvals.status', '=', 'pending').orderBy('revision').limit(limit)
      return (await query.execute()).map(toApproval)
    },
    async pendingOf(session) {
      const pending = await db
        .selectFrom('approvals')
        .select(['id', 'hub_id', 'tool', 'requested_at'])
        .where('session_id', '=', session)
        .where('status', '=', 'pending')
        .orderBy('requested_at')
        .orderBy('id')
        .execute()
      const [oldest] = pending
      return {
        count: pending.length,
        oldest: oldest && { id: oldest.id, tool: oldest.tool, requestedAt: oldest.requested_at },
        hubIds: pending.map(({ hub_id: hubId }) => hubId),
      }
    },
    async sessionsWithPending() {
      const query = db.selectFrom('approvals').select('session_id').distinct().where('status', '=', 'pending')
      return (await query.execute()).map(({ session_id: session }) => session)
    },
    async changedSince(revision, limit) {
      const query = approvalRows(db).where('revision', '>', revision).orderBy('revision').limit(limit)
      return (await query.execute()).map(toApproval)
    },
    async lastRevision() {
      const { last } = await db.selectFrom('approval_revisions').select('last').executeTakeFirstOrThrow()
      return last
    },
    async listExpiries() {
      const query = db.selectFrom('approvals').select(['id', 'expires_at as expiresAt'])
      return query.where('status', 'in', openStatuses).execute()
    },
    async findGrant(id) {
      const row = await grantRows(db).where('grants.id', '=', id).executeTakeFirst()
      return row && toGrant(row)
    },
    async listGrants({ sessionId, withRevoked = false }) {
      let query = grantRows(db).orderBy('grants.created_at', 'desc').orderBy('grants.id', 'desc')
      if (!withRevoked) query = query.where('revoked_at', 'is', null)
      if (sessionId !== undefined) {
        query = query.where(({ eb, or }) => or([eb('session_id', '=', sessionId), eb('session_id', 'is', null)]))
      }
      return (await query.execute()).map(toGrant)
    },
    async hasOverdue(now) {
      const over = sessionStatuses.filter(isOver)
      const approval = approvalRows(db)
        .where('approvals.status', 'in', ['pending', 'approved'])
        .where(({ eb, or }) => or([eb('expires_at', '<=', now), eb('sessions.status', 'in', over)]))
        .limit(1)
      if ((await approval.executeTakeFirst()) !== undefined) return true
      const grant = grantRows(db).where('revoked_at', 'is', null).where('sessions.status', 'in', over).limit(1)
      return (await grant.executeTakeFirst()) !== undefined
    },
    async listUnannounced() {
      const query = approvalRows(db).where('approvals.status', '=', 'pending').where('notified_at', 'is', null)
      return (await query.orderBy('requested_at').execute()).map(toApproval)
    },
    async dropEnded(maxBytes) {
      const ended = () =>
        db.selectFrom((from) =>
          from
            .selectFrom('approvals')
            .where('status', 'not in', openStatuses)
            .select((row) => [
              'revision',
              row(
                row(row.fn<number>('octet_length', ['arguments']), '+', row.fn<number>('octet_length', ['hidden'])),
                '+',
                row.lit(otherBytes),
              ).as('bytes'),
            ])
            .as('ended'),
        )
      const { all } = await ended()
        .select(({ fn }) => fn.sum('bytes').as('all'))
        .executeTakeFirstOrThrow()
      if (Number(all) <= maxBytes) return
      const newestFirst = await ended().select(['revision', 'bytes']).orderBy('revision', 'desc').execute()
      // Deletes a little more than needed, so that the next deletion is not due at once.
      let room = maxBytes * 0.9
      const oldest = newestFirst.find((row) => (room -= row.bytes) < 0)
      if (!oldest) return
      const drop = db.deleteFrom('approvals').where('status', 'not in', openStatuses)
      await drop.where('revision', '<=', oldest.revision).execute()
    },
    async claimAnnouncement(id, at) {
      const update = db.updateTable('approvals').set({ notified_at: at }).where('id', '=', id)
      return (await update.where('notified_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n
    },
  }
}

/** Estimated size of the columns that an agent does not write. */
const otherBytes = 500

/** Selects excerpts of large arguments. */
export function approvalRows(db: Store['db']) {
  return withSession(db).select(({ fn }) => fn.coalesce('excerpt', 'arguments').as('arguments'))
}

/** Everything but the arguments. */
function withSession(db: Store['db']) {
  return db
    .selectFrom('approvals')
    .innerJoin('sessions', 'sessions.id', 'approvals.session_id')
    .select([
      'approvals.id',
      'approvals.hub_id',
      'session_id',
      'sessions.name as session_name',
      'tool',
      'arguments_bytes',
      'hidden',
      'digest',
      'rule',
      'rule_reason',
      'policy_version',
      'approvals.status',
      'correlation',
      'parent',
      'requested_at',
      'expires_at',
      'decided_at',
      'decided_by',
      'reason',
      'grant_id',
      'told_at',
      'revision',
    ])
}

export function grantRows(db: Store['db']) {
  return db
    .selectFrom('grants')
    .leftJoin('sessions', 'sessions.id', 'grants.session_id')
    .selectAll('grants')
    .select('sessions.name as session_name')
}
