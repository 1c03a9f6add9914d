import type { Store } from '../store/store.ts'

/** A subscription that an agent made with its tools. */
export interface SubscriptionRow {
  readonly mount: string
  readonly uri: string
}

export interface SubscriptionStore {
  add(session: string, row: SubscriptionRow): Promise<void>
  remove(session: string, row: SubscriptionRow): Promise<boolean>
  of(session: string): Promise<readonly SubscriptionRow[]>
}

export function createSubscriptionStore({ db }: Store): SubscriptionStore {
  return {
    async add(session, { mount, uri }) {
      await db
        .insertInto('mount_subscriptions')
        .values({ session_id: session, mount, uri, created_at: new Date().toISOString() })
        .onConflict((conflict) => conflict.columns(['session_id', 'mount', 'uri']).doNothing())
        .execute()
    },
    async remove(session, { mount, uri }) {
      const { numDeletedRows } = await db
        .deleteFrom('mount_subscriptions')
        .where('session_id', '=', session)
        .where('mount', '=', mount)
        .where('uri', '=', uri)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
    of: (session) =>
      db
        .selectFrom('mount_subscriptions')
        .select(['mount', 'uri'])
        .where('session_id', '=', session)
        .orderBy('mount')
        .orderBy('uri')
        .execute(),
  }
}
