/** The SQL of policy documents. Every version of every document is kept. */
import type { PolicyScope, StatedPolicy } from '../api/policy.ts'
import { livingStatuses } from '../api/session.ts'
import type { PolicyRow, Store } from '../store/store.ts'

/** The owner of a document. For the hub the target is empty, for a session it is the id. */
export interface PolicyKey {
  readonly scope: PolicyScope
  readonly target: string
}

export interface SavedPolicy extends PolicyKey {
  readonly version: number
  /** Empty if the document was removed. */
  readonly source: string
  readonly savedAt: string
  readonly savedBy: string
}

export interface PolicyStore {
  /** The newest saved version of each of these documents. Documents that were never saved are left out. */
  newest(keys: readonly PolicyKey[]): Promise<readonly SavedPolicy[]>
  newestOfAll(): Promise<readonly SavedPolicy[]>
  find(key: PolicyKey, version: number): Promise<SavedPolicy | undefined>
  /** The versions of a document below `before`, newest first. */
  versions(key: PolicyKey, page: { readonly before: number; readonly limit: number }): Promise<readonly SavedPolicy[]>
  /** Returns false if that version exists already because another save was faster. */
  insert(policy: SavedPolicy): Promise<boolean>
  /** The policy of a session's template that was last stored with the session. */
  templatePolicyOf(sessionId: string): Promise<StatedPolicy | undefined>
  /** Never replaces the policy of a person's own template with that of a shipped one. */
  keepTemplatePolicy(sessionId: string, policy: StatedPolicy, seenAt: string): Promise<void>
  /** The living sessions of a hub. */
  sessionsOf(hubId: string): Promise<readonly StoredSession[]>
  /** The names of those of these sessions that live, by id. */
  livingNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

export interface StoredSession {
  readonly id: string
  readonly template: string
  readonly kept: StatedPolicy | undefined
}

export function createPolicyStore({ db }: Store): PolicyStore {
  const newestRows = () =>
    db
      .selectFrom('policies as policy')
      .selectAll()
      .where('version', '=', ({ selectFrom }) =>
        selectFrom('policies as other')
          .select(({ fn }) => fn.max('other.version').as('version'))
          .whereRef('other.scope', '=', 'policy.scope')
          .whereRef('other.target', '=', 'policy.target'),
      )
  return {
    async newest(keys) {
      const rows = newestRows().where(({ or, and }) => or(keys.map(({ scope, target }) => and({ scope, target }))))
      return (await rows.execute()).map(toPolicy)
    },
    async newestOfAll() {
      return (await newestRows().orderBy('scope').orderBy('target').execute()).map(toPolicy)
    },
    async find({ scope, target }, version) {
      const rows = db.selectFrom('policies').selectAll().where('scope', '=', scope).where('target', '=', target)
      const row = await rows.where('version', '=', version).executeTakeFirst()
      return row && toPolicy(row)
    },
    async versions({ scope, target }, { before, limit }) {
      const rows = db.selectFrom('policies').selectAll().where('scope', '=', scope).where('target', '=', target)
      const found = await rows.where('version', '<', before).orderBy('version', 'desc').limit(limit).execute()
      return found.map(toPolicy)
    },
    async insert({ savedAt, savedBy, ...policy }) {
      const inserted = await db
        .insertInto('policies')
        .values({ ...policy, saved_at: savedAt, saved_by: savedBy })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    async templatePolicyOf(sessionId) {
      const rows = db.selectFrom('session_template_policies').selectAll().where('session_id', '=', sessionId)
      const row = await rows.executeTakeFirst()
      return row && { origin: row.origin, source: row.source ?? undefined }
    },
    async keepTemplatePolicy(sessionId, { origin, source = null }, seenAt) {
      const values = { origin, source, seen_at: seenAt }
      await db
        .insertInto('session_template_policies')
        .values({ session_id: sessionId, ...values })
        .onConflict((conflict) =>
          conflict
            .column('session_id')
            .doUpdateSet(values)
            .where('session_template_policies.origin', 'in', origin === 'own' ? ['own', 'shipped'] : ['shipped']),
        )
        .execute()
    },
    async sessionsOf(hubId) {
      const rows = await db
        .selectFrom('sessions')
        .leftJoin('session_template_policies as kept', 'kept.session_id', 'sessions.id')
        .select(['sessions.id', 'sessions.template', 'kept.origin', 'kept.source'])
        .where('sessions.hub_id', '=', hubId)
        .where('sessions.status', 'in', livingStatuses)
        .execute()
      return rows.map(({ id, template, origin, source }) => ({
        id,
        template,
        kept: origin === null ? undefined : { origin, source: source ?? undefined },
      }))
    },
    async livingNames(ids) {
      if (ids.length === 0) return new Map()
      const rows = db.selectFrom('sessions').select(['id', 'name']).where('id', 'in', ids)
      const living = await rows.where('status', 'in', livingStatuses).execute()
      return new Map(living.map(({ id, name }) => [id, name]))
    },
  }
}

function toPolicy({ scope, saved_at: savedAt, saved_by: savedBy, ...row }: PolicyRow): SavedPolicy {
  return { ...row, scope: scope as PolicyScope, savedAt, savedBy }
}
