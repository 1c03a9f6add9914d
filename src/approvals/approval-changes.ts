/**
 * Changes of approvals and grants, one after another over all hubs. Each begins by taking its number from the one row of
 * `approval_revisions`, which stays locked until it is committed: what is read in a change is still so when it is
 * written, and whoever has seen revision 7 is never surprised by a 6 that comes later.
 */
import { isOver, sessionStatuses } from '../api/session.ts'
import type { Store, Tables } from '../store/store.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import { toApproval, toGrant } from './approval-record.ts'
import { approvalRows, grantRows } from './approval-store.ts'
import { excerptOf } from './excerpt.ts'

export interface ChangingRows {
  find(id: string): Promise<ApprovalRecord | undefined>
  /** Pending or approved: those of one call under whatever policy, of one session, or all. */
  findOpen(of?: Partial<SameCall>): Promise<readonly ApprovalRecord[]>
  /** The answer to this call that nobody was there to hear. */
  findUntold(call: SameCall & Pick<ApprovalRecord, 'policyVersion'>): Promise<ApprovalRecord | undefined>
  findOfEndedSessions(): Promise<readonly ApprovalRecord[]>
  /** What of this session nobody has answered. */
  weighPending(session: string): Promise<{ readonly count: number; readonly bytes: number }>
  insert(record: NewApproval): Promise<ApprovalRecord>
  save(record: ApprovalRecord, patch: ApprovalPatch): Promise<ApprovalRecord>
  findGrant(id: string): Promise<GrantRecord | undefined>
  insertGrant(grant: Omit<GrantRecord, 'sessionName'>): Promise<void>
  findGrantsOf(session: string): Promise<readonly GrantRecord[]>
  findGrantsOfEndedSessions(): Promise<readonly GrantRecord[]>
  revokeGrant(id: string, by: string, at: string): Promise<void>
}

export type NewApproval = Omit<ApprovalRecord, 'sessionName' | 'revision' | 'leftOutBytes'>
export type SameCall = Pick<ApprovalRecord, 'sessionId' | 'tool' | 'digest'>
export type ApprovalPatch = Partial<
  Pick<ApprovalRecord, 'hubId' | 'status' | 'decidedAt' | 'decidedBy' | 'reason' | 'grantId' | 'toldAt'>
>

export interface Change<Result> {
  readonly result: Result
  /** Those whose status is another than before, as they are now. */
  readonly changed: readonly ApprovalRecord[]
  readonly areGrantsChanged: boolean
}

export type MakeChange = <Result>(work: (rows: ChangingRows) => Promise<Result>) => Promise<Change<Result>>

export interface ChangeOptions {
  readonly store: Store
  /** Inside of the change: heard by other hubs when it is committed, and not at all if it is not. */
  readonly announce: (inside: Store['db'], change: Omit<Change<unknown>, 'result'>) => Promise<void>
}

export function createChanges({ store, announce }: ChangeOptions): MakeChange {
  return (work) =>
    store.db.transaction().execute(async (inside) => {
      const changed = new Map<string, ApprovalRecord>()
      let areGrantsChanged = false
      const noteGrants = () => (areGrantsChanged = true)
      await nextRevision(inside)
      const result = await work(changingRows(inside, (record) => changed.set(record.id, record), noteGrants))
      const change = { changed: [...changed.values()], areGrantsChanged }
      if (areGrantsChanged || changed.size > 0) await announce(inside, change)
      return { result, ...change }
    })
}

function changingRows(
  db: Store['db'],
  noteChange: (record: ApprovalRecord) => void,
  noteGrants: () => void,
): ChangingRows {
  async function find(id: string): Promise<ApprovalRecord | undefined> {
    const row = await approvalRows(db).where('approvals.id', '=', id).executeTakeFirst()
    return row && toApproval(row)
  }
  const openRows = () => approvalRows(db).where('approvals.status', 'in', ['pending', 'approved'])
  const livingGrants = () => grantRows(db).where('revoked_at', 'is', null)
  const endedSessions = () =>
    db.selectFrom('sessions').select('id').where('status', 'in', sessionStatuses.filter(isOver))

  return {
    find,
    async findOpen({ sessionId, tool, digest } = {}) {
      let query = openRows()
      if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
      if (tool !== undefined) query = query.where('tool', '=', tool)
      if (digest !== undefined) query = query.where('digest', '=', digest)
      return (await query.execute()).map(toApproval)
    },
    async findUntold({ sessionId, tool, digest, policyVersion }) {
      const query = approvalRows(db)
        .where('approvals.status', 'in', ['denied', 'aborted', 'expired'])
        .where('told_at', 'is', null)
        .where('session_id', '=', sessionId)
        .where('tool', '=', tool)
        .where('digest', '=', digest)
        .where('policy_version', '=', policyVersion)
      const row = await query.orderBy('revision', 'desc').executeTakeFirst()
      return row && toApproval(row)
    },
    async findOfEndedSessions() {
      return (await openRows().where('session_id', 'in', endedSessions()).execute()).map(toApproval)
    },
    async weighPending(session) {
      const { count, bytes } = await db
        .selectFrom('approvals')
        .select(({ fn }) => [fn.countAll().as('count'), fn.sum('arguments_bytes').as('bytes')])
        .where('session_id', '=', session)
        .where('status', '=', 'pending')
        .executeTakeFirstOrThrow()
      return { count: Number(count), bytes: Number(bytes) }
    },
    async insert(record) {
      const revision = await nextRevision(db)
      await db
        .insertInto('approvals')
        .values({ ...toStored(record), revision })
        .execute()
      const inserted = await find(record.id)
      if (!inserted) throw new Error(`the approval ${record.id} was stored and is not there`)
      noteChange(inserted)
      return inserted
    },
    async save(record, patch) {
      const isNews = patch.status !== undefined && patch.status !== record.status
      const revision = isNews ? await nextRevision(db) : record.revision
      const saved = { ...record, ...patch, revision }
      const update = db
        .updateTable('approvals')
        .set({ ...toStoredPatch(patch), revision })
        .where('id', '=', record.id)
        .where('revision', '=', record.revision)
      if ((await update.executeTakeFirst()).numUpdatedRows === 0n) {
        throw new Error(`the approval ${record.id} was changed by somebody who did not wait for their turn`)
      }
      if (isNews) noteChange(saved)
      return saved
    },
    async findGrant(id) {
      const row = await grantRows(db).where('grants.id', '=', id).executeTakeFirst()
      return row && toGrant(row)
    },
    async insertGrant(grant) {
      const values: Tables['grants'] = {
        id: grant.id,
        session_id: grant.sessionId ?? null,
        tool: grant.tool,
        condition: grant.when === undefined ? null : JSON.stringify(grant.when),
        approval_id: grant.approvalId,
        created_at: grant.createdAt,
        created_by: grant.createdBy,
        revoked_at: null,
        revoked_by: null,
      }
      await db.insertInto('grants').values(values).execute()
      noteGrants()
    },
    async findGrantsOf(session) {
      return (await livingGrants().where('session_id', '=', session).execute()).map(toGrant)
    },
    async findGrantsOfEndedSessions() {
      return (await livingGrants().where('session_id', 'in', endedSessions()).execute()).map(toGrant)
    },
    async revokeGrant(id, by, at) {
      await db.updateTable('grants').set({ revoked_at: at, revoked_by: by }).where('id', '=', id).execute()
      noteGrants()
    },
  }
}

async function nextRevision(db: Store['db']): Promise<number> {
  const { last } = await db
    .updateTable('approval_revisions')
    .set(({ eb }) => ({ last: eb('last', '+', 1) }))
    .where('id', '=', 1)
    .returning('last')
    .executeTakeFirstOrThrow()
  return last
}

function toStored(record: NewApproval): Omit<Tables['approvals'], 'revision'> {
  const given = JSON.stringify(record.arguments)
  const excerpt = excerptOf(record.arguments)
  return {
    id: record.id,
    hub_id: record.hubId,
    session_id: record.sessionId,
    tool: record.tool,
    arguments: given,
    arguments_bytes: Buffer.byteLength(given),
    excerpt: excerpt === undefined ? null : JSON.stringify(excerpt),
    hidden: JSON.stringify(record.hidden),
    digest: record.digest,
    rule: record.rule ?? null,
    rule_reason: record.ruleReason ?? null,
    policy_version: record.policyVersion,
    status: record.status,
    correlation: record.correlation,
    parent: record.parent ?? null,
    requested_at: record.requestedAt,
    expires_at: record.expiresAt,
    decided_at: record.decidedAt ?? null,
    decided_by: record.decidedBy ?? null,
    reason: record.reason ?? null,
    grant_id: record.grantId ?? null,
    told_at: record.toldAt ?? null,
    notified_at: null,
  }
}

/** What the patch does not name stays as it is, the arguments above all: what is in memory may be an excerpt. */
function toStoredPatch({ hubId, status, decidedAt, decidedBy, reason, grantId, toldAt }: ApprovalPatch) {
  return {
    hub_id: hubId,
    status,
    decided_at: decidedAt,
    decided_by: decidedBy,
    reason,
    grant_id: grantId,
    told_at: toldAt,
  }
}
