/** The resources that the agent of a session follows by its tools: kept over restarts, each with how it stands. */
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Call, Notices } from '../mcp/mcp.ts'
import type { Mount } from './mount.ts'
import type { SessionMounts } from './session-mounts.ts'
import type { SubscriptionRow, SubscriptionStore } from './subscription-store.ts'

export interface Subscriptions {
  add(row: SubscriptionRow, call: Call): Promise<void>
  /** False where there was none. */
  remove(row: SubscriptionRow): Promise<boolean>
  list(): Promise<readonly SubscriptionState[]>
  noteChange(mount: string, uri: string): void
  /** What was followed there before is followed again. */
  followAgain(mount: Mount): void
}

export interface SubscriptionState {
  readonly server: string
  readonly uri: string
  /** Its mount is there. */
  readonly present: boolean
  /** Its changes are heard of. */
  readonly active: boolean
  readonly last_error?: string
  readonly changed_at?: string
}

export const subscriptionsUri = 'resource://subscriptions'

export interface SubscriptionsOptions {
  readonly session: string
  readonly faceId: string
  readonly store: SubscriptionStore
  /** Such a resource is followed, but not kept: a restart of the hub ends it. */
  readonly holdsSecret: (uri: string) => boolean
  readonly notices: Notices
  readonly log: Log
  readonly mounts: () => SessionMounts
}

interface Followed extends SubscriptionRow {
  changedAt?: string
  error?: string
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { session, faceId, store, holdsSecret, notices, log, mounts } = options
  const inTurn = createSerial()
  const keyOf = ({ mount, uri }: SubscriptionRow) => `${mount} ${uri}`
  const tell = () => notices.resourceChanged(subscriptionsUri, faceId)
  const mountOf = (label: string) => mounts().mounts.find(({ bound }) => bound.label === label)
  /** What the store holds: an upstream may tell of changes far more often than one would like to look there. */
  const loaded = store.of(session).then((rows) => new Map(rows.map((row): [string, Followed] => [keyOf(row), row])))
  loaded.catch((error: unknown) => log.error({ session, error }, 'what an agent follows could not be read'))

  async function restore(mount: Mount): Promise<void> {
    const own = (await loaded).values().filter((row) => row.mount === mount.bound.label)
    for (const followed of own) {
      // An earlier hub may have kept it.
      if (holdsSecret(followed.uri)) await inTurn(() => store.remove(session, followed))
      try {
        await mount.watchAgain(followed.uri, 'agent')
        delete followed.error
      } catch (error) {
        followed.error = messageOf(error)
      }
      tell()
    }
  }

  return {
    async add(row, call) {
      const all = await loaded
      const known = all.get(keyOf(row))
      try {
        await mountOf(row.mount)?.watch(row.uri, call, 'agent')
      } catch (error) {
        if (known) known.error = messageOf(error)
        throw error
      }
      if (!holdsSecret(row.uri)) await inTurn(() => store.add(session, row))
      all.set(keyOf(row), row)
      tell()
    },
    async remove(row) {
      const all = await loaded
      const isRemoved = await inTurn(() => store.remove(session, row))
      all.delete(keyOf(row))
      mountOf(row.mount)?.unwatch(row.uri, 'agent')
      tell()
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
        tell()
      }
      note().catch(() => {})
    },
    followAgain(mount) {
      restore(mount).catch(() => {})
    },
  }
}
