/** The resources that a session's agent follows with its tools: kept across restarts, each with its status. */
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Call, FaceContents, Notices } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'
import type { SessionMounts } from './session-mounts.ts'
import type { SubscriptionRow, SubscriptionStore } from './subscription-store.ts'

export interface Subscriptions {
  add(row: SubscriptionRow, call: Call): Promise<void>
  /** False if there was none. */
  remove(row: SubscriptionRow): Promise<boolean>
  list(): Promise<readonly SubscriptionState[]>
  noteChange(mount: string, uri: string): void
  /** Restores the subscriptions at this mount. */
  followAgain(mount: Mount): void
}

export interface SubscriptionState {
  readonly server: string
  readonly uri: string
  /** Its mount exists. */
  readonly present: boolean
  /** The upstream reports its changes. */
  readonly active: boolean
  readonly last_error?: string
  readonly changed_at?: string
}

export const subscriptionsUri = 'resource://subscriptions'

export interface SubscriptionsOptions {
  readonly session: string
  readonly faceId: string
  readonly max: number
  readonly store: SubscriptionStore
  /** A resource whose address holds a secret is followed but not stored: a hub restart ends the subscription. */
  readonly holdsSecret: (uri: string) => boolean
  readonly notices: Notices
  readonly log: Log
  readonly mounts: () => SessionMounts
  readonly face: FaceContents
}

interface Followed extends SubscriptionRow {
  changedAt?: string
  error?: string
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { session, faceId, max, store, holdsSecret, notices, log, mounts, face } = options
  const inTurn = createSerial()
  const keyOf = ({ mount, uri }: SubscriptionRow) => `${mount} ${uri}`
  const notify = () => notices.resourceChanged(subscriptionsUri, faceId)
  const mountOf = (label: string) => mounts().mounts.find(({ bound }) => bound.label === label)
  /** A copy of the store, because an upstream may report changes much faster than the store should be read. */
  const loaded = store.of(session).then((rows) => new Map(rows.map((row): [string, Followed] => [keyOf(row), row])))
  let adding = 0
  loaded.catch((error: unknown) => log.error({ session, error }, 'the subscriptions of an agent could not be read'))

  async function restore(mount: Mount): Promise<void> {
    const own = (await loaded).values().filter((row) => row.mount === mount.bound.label)
    for (const followed of own) {
      // An earlier hub may have stored it.
      if (holdsSecret(followed.uri)) await inTurn(() => store.remove(session, followed))
      try {
        await mount.watchAgain(followed.uri, 'agent')
        delete followed.error
      } catch (error) {
        followed.error = messageOf(error)
      }
      notify()
    }
  }

  return {
    async add(row, call) {
      const all = await loaded
      const known = all.get(keyOf(row))
      if (!known && all.size + adding >= max) {
        throw new HubError('busy', `An agent may follow at most ${max} resources. Call resources_unsubscribe first.`)
      }
      adding++
      try {
        await face.watch(row.uri, call, { mayAsk: true, follower: 'agent', mount: row.mount })
        if (!holdsSecret(row.uri)) await inTurn(() => store.add(session, row))
        all.set(keyOf(row), row)
      } catch (error) {
        if (known) known.error = messageOf(error)
        throw error
      } finally {
        adding--
      }
      notify()
    },
    async remove(row) {
      const all = await loaded
      const isRemoved = await inTurn(() => store.remove(session, row))
      all.delete(keyOf(row))
      mountOf(row.mount)?.unwatch(row.uri, 'agent')
      notify()
      return isRemoved
    },
    async list() {
      const rows = [...(await loaded).values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      return rows.map(({ mount: label, uri, error, changedAt }) => {
        const mount = mountOf(label)
        return {
          server: label,
          uri,
          present: mount !== undefined,
          active: mount?.state.state === 'running' && error === undefined,
          ...(error !== undefined && { last_error: error }),
          ...(changedAt !== undefined && { changed_at: changedAt }),
        }
      })
    },
    noteChange(mount, uri) {
      const note = async () => {
        const followed = (await loaded).get(keyOf({ mount, uri }))
        if (!followed) return
        followed.changedAt = new Date().toISOString()
        notify()
      }
      note().catch(() => {})
    },
    followAgain(mount) {
      restore(mount).catch(() => {})
    },
  }
}
