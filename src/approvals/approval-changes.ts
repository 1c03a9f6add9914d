/**
 * Changes approvals and grants, one change at a time across all hubs. Each change first takes its number from the
 * single row of `approval_revisions`, which stays locked until the commit. So the rows that a change reads cannot
 * change before it writes, and a reader that has seen revision 7 never sees a 6 appear later.
 */
import { isOver, sessionStatuses } from '../api/session.ts'
import type { Store, Tables } from '../store/store.ts'
import { isEnded, openStatuses } from './approval-outcome.ts'
import type { ApprovalRecord, GrantRecord } from './approval-record.ts'
import { toApproval, toGrant } from './approval-record.ts'
import { approvalRows, grantRows } from './approval-store.ts'
import { excerptOf } from './excerpt.ts'

export interface ChangingRows {
  find(id: string): Promise<ApprovalRecord | undefined>
  /** Pending and approved ones: of one call under any policy version, of one session, or all of them. */
  findOpen(of?: Partial<SameCall>): Promise<readonly ApprovalRecord[]>
  /** The answer to this call that was given while no call waited for it. */
  findUntold(call: SameCall & Pick<ApprovalRecord, 'policyVersion'>): Promise<ApprovalRecord | undefined>
  findOfEndedSessions(): Promise<readonly ApprovalRecord[]>
  /** The number and size of the session's unanswered approvals. */
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
  /** Approvals whose status has changed, with their new values. */
  readonly changed: readonly ApprovalRecord[]
  readonly areGrantsChanged: boolean
}

export type MakeChange = <Result>(work: (rows: ChangingRows) => Promise<Result>) => Promise<Change<Result>>

export interface ChangeOptions {
  readonly store: Store
  /** Runs inside the transaction: other hubs receive the announcement when it commits, and nothing if it does not. */
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
  const openRows = () => approvalRows(db).where('approvals.status', 'in', openStatuses)
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
        .$if(isEnded(saved), (ending) => ending.set(({ fn }) => shortened(saved, fn.coalesce('excerpt', 'arguments'))))
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

/** Ended approvals keep only an excerpt, because an agent can make and cancel any number of calls. */
function shortened<Excerpt>({ hidden }: ApprovalRecord, excerpt: Excerpt) {
  return { arguments: excerpt, excerpt: null, hidden: JSON.stringify(hidden.slice(0, mostHiddenKept)) }
}

const mostHiddenKept = 100

/**
 * Fields that the patch does not name stay as they are. This protects the arguments, since the record in memory may
 * hold only an excerpt of them.
 */
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
