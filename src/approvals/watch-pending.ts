/** Emits a signal with the pending approvals of a session whenever they change. */
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { ApprovalRegistry } from './approval-registry.ts'
import type { ApprovalStore } from './approval-store.ts'
import type { Holds } from './holds.ts'

export interface WatchPendingOptions {
  readonly registry: Pick<ApprovalRegistry, 'onAnyChange'>
  readonly rows: Pick<ApprovalStore, 'pendingOf' | 'sessionsWithPending'>
  readonly holds: Pick<Holds, 'holdsAny' | 'countDeserted' | 'onAwayChange'>
  readonly hubId: string
  readonly log: Log
  readonly signals: SignalSender
}

export interface PendingWatch extends Disposable {
  /** Reads the approvals that an earlier hub left pending. */
  begin(): Promise<void>
  /** Reads the sessions again whose last read failed. */
  retry(): Promise<void>
}

export function watchPending(options: WatchPendingOptions): PendingWatch {
  const { registry, rows, holds, hubId: own, log, signals } = options
  const oneByOne = createSerial()
  const unread = new Set<string>()

  async function look(session: string): Promise<void> {
    try {
      await oneByOne(async () => {
        const { hubIds, ...pending } = await rows.pendingOf(session)
        // This hub cannot know what other hubs hold, so it assumes that they hold their calls.
        const isHeld = () => hubIds.some((hubId) => hubId !== own) || holds.holdsAny(session)
        const isDeserted = () => holds.countDeserted(session) === pending.count
        signals.emit('approvals-pending', { session, pending: { ...pending, isHeld, isDeserted } })
      })
      unread.delete(session)
    } catch (error) {
      unread.add(session)
      log.error({ session, error }, 'the pending approvals of a session could not be read; they are read again')
    }
  }

  const stop = registry.onAnyChange((session) => void look(session))
  const stopFollowing = holds.onAwayChange((session) => void look(session))
  return {
    async begin() {
      for (const session of await rows.sessionsWithPending()) await look(session)
    },
    async retry() {
      for (const session of unread) await look(session)
    },
    [Symbol.dispose]() {
      stop()
      stopFollowing()
    },
  }
}
