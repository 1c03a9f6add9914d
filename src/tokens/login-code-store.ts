import type { Store } from '../store/store.ts'

export interface LoginCodeRow {
  readonly hash: string
  /** The id of the token that made it. */
  readonly createdBy: string
  readonly createdAt: string
  readonly expiresAt: string
}

export interface LoginCodeStore {
  /** Also deletes expired codes, and the oldest ones above `most`. */
  insert(row: LoginCodeRow, most: number): Promise<void>
  /** Deletes the code and returns it. Of several callers, also in other hubs, only one gets it. */
  take(hash: string): Promise<LoginCodeRow | undefined>
}

export function createLoginCodeStore({ db }: Store): LoginCodeStore {
  return {
    async insert({ hash, createdBy, createdAt, expiresAt }, most) {
      await db.transaction().execute(async (transaction) => {
        const codes = () => transaction.deleteFrom('login_codes')
        await codes().where('expires_at', '<=', createdAt).execute()
        const row = { hash, created_by: createdBy, created_at: createdAt, expires_at: expiresAt }
        await transaction.insertInto('login_codes').values(row).execute()
        const newest = transaction.selectFrom('login_codes').select('hash').orderBy('created_at', 'desc').limit(most)
        await codes().where('hash', 'not in', newest).execute()
      })
    },
    async take(hash) {
      const taken = await db.deleteFrom('login_codes').where('hash', '=', hash).returningAll().executeTakeFirst()
      return taken && { hash, createdBy: taken.created_by, createdAt: taken.created_at, expiresAt: taken.expires_at }
    },
  }
}
