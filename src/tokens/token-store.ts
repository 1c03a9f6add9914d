import type { Role } from '../base/principal.ts'
import type { Store } from '../store/store.ts'

export interface TokenRow {
  readonly id: string
  readonly role: Role
  readonly session: string | undefined
  readonly label: string | undefined
  readonly toolsets: readonly string[] | undefined
  readonly hash: string
  readonly createdAt: string
  readonly expiresAt: string | undefined
  readonly revokedAt: string | undefined
  readonly lastUsedAt: string | undefined
}

/** The position of a token in the list. */
export type TokenPlace = Pick<TokenRow, 'createdAt' | 'id'>

export interface TokenStore {
  insert(row: TokenRow): Promise<void>
  /** In the order of creation, starting after `after`. */
  page(after: TokenPlace | undefined, limit: number): Promise<readonly TokenRow[]>
  find(id: string): Promise<TokenRow | undefined>
  /** False if the token was already revoked. */
  revoke(id: string, at: string): Promise<boolean>
  /** Those that were revoked by then. */
  listRevoked(by: string): Promise<readonly TokenRow[]>
  /** Removes a token that is revoked, and no other. False if it stays. */
  removeRevoked(id: string): Promise<boolean>
  setLastUsed(used: ReadonlyMap<string, string>): Promise<void>
}

export function createTokenStore({ db }: Store): TokenStore {
  const rows = () => db.selectFrom('tokens').selectAll()
  return {
    async insert(row) {
      const { id, role, hash } = row
      const values = {
        id,
        role,
        hash,
        session: row.session ?? null,
        label: row.label ?? null,
        toolsets: row.toolsets ? JSON.stringify(row.toolsets) : null,
        created_at: row.createdAt,
        expires_at: row.expiresAt ?? null,
        revoked_at: null,
        last_used_at: null,
      }
      await db.insertInto('tokens').values(values).execute()
    },
    async page(after, limit) {
      let query = rows().orderBy('created_at').orderBy('id').limit(limit)
      if (after) {
        const { createdAt, id } = after
        query = query.where(({ eb, or, and }) =>
          or([eb('created_at', '>', createdAt), and([eb('created_at', '=', createdAt), eb('id', '>', id)])]),
        )
      }
      return (await query.execute()).map(toRow)
    },
    async find(id) {
      const row = await rows().where('id', '=', id).executeTakeFirst()
      return row && toRow(row)
    },
    async revoke(id, at) {
      const update = db
        .updateTable('tokens')
        .set({ revoked_at: at })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
      return (await update.executeTakeFirst()).numUpdatedRows > 0n
    },
    async listRevoked(by) {
      const revoked = rows().where('revoked_at', 'is not', null).where('revoked_at', '<=', by)
      return (await revoked.orderBy('created_at').orderBy('id').execute()).map(toRow)
    },
    async removeRevoked(id) {
      const removal = db.deleteFrom('tokens').where('id', '=', id).where('revoked_at', 'is not', null)
      return (await removal.executeTakeFirst()).numDeletedRows > 0n
    },
    async setLastUsed(used) {
      await db.transaction().execute(async (transaction) => {
        for (const [id, at] of used)
          await transaction.updateTable('tokens').set({ last_used_at: at }).where('id', '=', id).execute()
      })
    },
  }
}

interface StoredToken {
  readonly id: string
  readonly role: string
  readonly session: string | null
  readonly label: string | null
  readonly toolsets: string | null
  readonly hash: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

function toRow(stored: StoredToken): TokenRow {
  return {
    id: stored.id,
    role: stored.role as Role,
    session: stored.session ?? undefined,
    label: stored.label ?? undefined,
    toolsets: stored.toolsets === null ? undefined : (JSON.parse(stored.toolsets) as readonly string[]),
    hash: stored.hash,
    createdAt: stored.created_at,
    expiresAt: stored.expires_at ?? undefined,
    revokedAt: stored.revoked_at ?? undefined,
    lastUsedAt: stored.last_used_at ?? undefined,
  }
}
