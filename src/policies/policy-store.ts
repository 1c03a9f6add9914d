/** The only SQL of this feature. Every version of every document stays, and so does every proposal. */
import type { PolicyScope } from '../api/policy.ts'
import type { PolicyRow, Store } from '../store/store.ts'

/** Whose document it is. The hub's has no target, a session's has its id. */
export interface PolicyKey {
  readonly scope: PolicyScope
  readonly target: string
}

export interface SavedPolicy extends PolicyKey {
  readonly version: number
  /** Empty where it was taken away. */
  readonly source: string
  readonly savedAt: string
  readonly savedBy: string
}

export interface PolicyStore {
  /** The newest version of each of these that was ever saved. */
  newest(keys: readonly PolicyKey[]): Promise<readonly SavedPolicy[]>
  newestOfAll(): Promise<readonly SavedPolicy[]>
  find(key: PolicyKey, version: number): Promise<SavedPolicy | undefined>
  /** False if that version is there already: somebody else was faster. */
  insert(policy: SavedPolicy): Promise<boolean>
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
    async insert({ savedAt, savedBy, ...policy }) {
      const inserted = await db
        .insertInto('policies')
        .values({ ...policy, saved_at: savedAt, saved_by: savedBy })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
    },
  }
}

function toPolicy({ scope, saved_at: savedAt, saved_by: savedBy, ...row }: PolicyRow): SavedPolicy {
  return { ...row, scope: scope as PolicyScope, savedAt, savedBy }
}
