/**
 * The notices one client has yet to hear. They wait here while nobody listens or the client reads too slowly, one per
 * topic however often it changed, so this never grows beyond what was subscribed to.
 */
import type { Subscriber, Topic } from './notices.ts'
import type { RpcNotification } from './wire.ts'

export interface NoticeQueue extends Subscriber {
  /** Tries again: a stream was opened, or has drained. */
  flush(): void
  settled(): Promise<void>
}

/** Neither of the promises may reject. */
export interface NoticeQueueOptions {
  readonly faceId: string
  isReady(): boolean
  deliver(topics: readonly Topic[]): Promise<void> | void
  /** Called with topics that have to wait, once for each. */
  park?(topics: readonly Topic[]): Promise<void>
  /** Called while it is ready only. */
  tell?(message: RpcNotification): void
  /** Topics that waited already when an earlier hub stopped. */
  readonly waiting?: readonly Topic[]
}

export function createNoticeQueue(options: NoticeQueueOptions): NoticeQueue {
  const { faceId, isReady, deliver, park, tell, waiting = [] } = options
  const pending = new Set<Topic>(waiting)
  const parked = new Set<Topic>(waiting)
  let isScheduled = false
  let last: Promise<void> = Promise.resolve()

  function flush(): void {
    isScheduled = false
    if (pending.size === 0) return
    if (isReady()) {
      const topics = [...pending]
      pending.clear()
      parked.clear()
      last = Promise.resolve(deliver(topics))
      return
    }
    const unparked = [...pending].filter((topic) => !parked.has(topic))
    for (const topic of unparked) parked.add(topic)
    if (unparked.length > 0 && park) last = park(unparked)
  }

  return {
    faceId,
    flush,
    tell(message) {
      if (isReady()) tell?.(message)
    },
    mark(topic) {
      pending.add(topic)
      if (isScheduled) return
      isScheduled = true
      // After all marks of this fan-out, and before anything else.
      queueMicrotask(flush)
    },
    async settled() {
      if (isScheduled) await Promise.resolve()
      await last
    },
  }
}
