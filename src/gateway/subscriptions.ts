/** The resources that the agent of a session follows by its tools: kept over restarts, each with how it stands. */
import { messageOf } from '../base/hub-error.ts'
import { createSerial } from '../base/serial.ts'
import type { Call, Notices } from '../mcp/mcp.ts'
import type { SessionMounts } from './session-mounts.ts'
import type { SubscriptionRow, SubscriptionStore } from './subscription-store.ts'

export interface Subscriptions {
  add(row: SubscriptionRow, call: Call): Promise<void>
  /** False where there was none. */
  remove(row: SubscriptionRow): Promise<boolean>
  list(): Promise<readonly SubscriptionState[]>
  noteChange(mount: string, uri: string): void
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
  readonly notices: Notices
  readonly mounts: () => SessionMounts
}

export function createSubscriptions({ session, faceId, store, notices, mounts }: SubscriptionsOptions): Subscriptions {
  const changedAt = new Map<string, string>()
  const errors = new Map<string, string>()
  const inTurn = createSerial()
  const keyOf = ({ mount, uri }: SubscriptionRow) => `${mount} ${uri}`
  const tell = () => notices.resourceChanged(subscriptionsUri, faceId)
  const mountOf = (label: string) => mounts().mounts.find(({ bound }) => bound.label === label)
  /** After a restart of the hub: what was followed is followed again. */
  const restored = store.of(session).then(async (rows) => {
    if (rows.length === 0) return
    await mounts().opened
    for (const row of rows) mountOf(row.mount)?.watchAgain(row.uri)
  })
  restored.catch(() => {})

  return {
    add: (row, call) =>
      inTurn(async () => {
        const mount = mountOf(row.mount)
        try {
          await mount?.resourceAt(row.uri).watch?.(call, true)
          errors.delete(keyOf(row))
        } catch (error) {
          errors.set(keyOf(row), messageOf(error))
          throw error
        }
        await store.add(session, row)
        tell()
      }),
    remove: (row) =>
      inTurn(async () => {
        const isRemoved = await store.remove(session, row)
        errors.delete(keyOf(row))
        changedAt.delete(keyOf(row))
        if (isRemoved) mountOf(row.mount)?.unwatch(row.uri)
        tell()
        return isRemoved
      }),
    async list() {
      const rows = await store.of(session)
      return rows.map((row) => {
        const mount = mountOf(row.mount)
        const error = errors.get(keyOf(row))
        const changed = changedAt.get(keyOf(row))
        return {
          server: row.mount,
          uri: row.uri,
          present: mount !== undefined,
          active: mount?.state.state === 'running' && error === undefined,
          ...(error !== undefined && { last_error: error }),
          ...(changed !== undefined && { changed_at: changed }),
        }
      })
    },
    noteChange(mount, uri) {
      void inTurn(async () => {
        const rows = await store.of(session)
        if (!rows.some((row) => row.mount === mount && row.uri === uri)) return
        changedAt.set(keyOf({ mount, uri }), new Date().toISOString())
        tell()
      })
    },
  }
}
