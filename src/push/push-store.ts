/** The only SQL of push messages: the subscriptions of this hub, since another hub has another key. */
import type { Store, Tables } from '../store/store.ts'
import type { PushSubscription } from './push-subscription.ts'

export interface PushStore {
  /** The oldest first. */
  list(): Promise<readonly PushSubscription[]>
  /** A browser that subscribes again keeps its id. */
  save(subscription: PushSubscription): Promise<PushSubscription>
  /** False: there was none. */
  remove(id: string): Promise<boolean>
  noteOutcome(id: string, outcome: { readonly sentAt?: string; readonly lastError?: string }): Promise<void>
}

export function createPushStore({ db }: Store, hubId: string): PushStore {
  const rows = () => db.selectFrom('push_subscriptions').selectAll().where('hub_id', '=', hubId)
  return {
    list: async () => (await rows().orderBy('created_at').orderBy('id').execute()).map(toSubscription),
    async save({ id, endpoint, publicKey, authSecret, label, tokenId, createdAt }) {
      const changing = { public_key: publicKey, auth_secret: authSecret, label: label ?? null, token_id: tokenId }
      const row = { id, hub_id: hubId, endpoint, created_at: createdAt, sent_at: null, last_error: null, ...changing }
      const saved = await db
        .insertInto('push_subscriptions')
        .values(row)
        .onConflict((conflict) => conflict.columns(['hub_id', 'endpoint']).doUpdateSet(changing))
        .returningAll()
        .executeTakeFirstOrThrow()
      return toSubscription(saved)
    },
    async remove(id) {
      const removal = db.deleteFrom('push_subscriptions').where('hub_id', '=', hubId).where('id', '=', id)
      return (await removal.executeTakeFirst()).numDeletedRows > 0n
    },
    async noteOutcome(id, { sentAt, lastError }) {
      const values = { ...(sentAt !== undefined && { sent_at: sentAt }), last_error: lastError ?? null }
      await db.updateTable('push_subscriptions').set(values).where('id', '=', id).execute()
    },
  }
}

function toSubscription(row: Tables['push_subscriptions']): PushSubscription {
  return {
    id: row.id,
    endpoint: row.endpoint,
    publicKey: row.public_key,
    authSecret: row.auth_secret,
    label: row.label ?? undefined,
    tokenId: row.token_id,
    createdAt: row.created_at,
    sentAt: row.sent_at ?? undefined,
    lastError: row.last_error ?? undefined,
  }
}
