/**
 * The notices that one client has not received yet. They wait here while the client has no stream or reads too slowly,
 * one per topic however often it changed, so the queue never grows beyond the client's subscriptions.
 */
import type { RpcNotification, Subscriber, Topic } from '../mcp/mcp.ts'

export interface NoticeQueue extends Subscriber {
  /** Tries again, because a stream was opened or has drained. */
  flush(): void
  settled(): Promise<void>
}

/** The promises of `deliver` and `park` must not reject. */
export interface NoticeQueueOptions {
  readonly faceId: string
  isReady(): boolean
  deliver(topics: readonly Topic[]): Promise<void> | void
  /** Stores topics that have to wait. Called once for each. */
  park?(topics: readonly Topic[]): Promise<void>
  /** Called only while `isReady`. */
  send?(message: RpcNotification): void
  /** Topics that were still waiting when an earlier hub stopped. */
  readonly waiting?: readonly Topic[]
}

export function createNoticeQueue(options: NoticeQueueOptions): NoticeQueue {
  const { faceId, isReady, deliver, park, send, waiting = [] } = options
  const pending = new Map(waiting.map((topic) => [keyOf(topic), topic]))
  const parked = new Set(pending.keys())
  let isScheduled = false
  let last: Promise<void> = Promise.resolve()

  function flush(): void {
    isScheduled = false
    if (pending.size === 0) return
    if (isReady()) {
      const topics = [...pending.values()]
      pending.clear()
      parked.clear()
      last = Promise.resolve(deliver(topics))
      return
    }
    const unparked = [...pending].filter(([key]) => !parked.has(key))
    for (const [key] of unparked) parked.add(key)
    if (unparked.length > 0 && park) last = park(unparked.map(([, topic]) => topic))
  }

  return {
    faceId,
    flush,
    send(message) {
      if (isReady()) send?.(message)
    },
    mark(topic) {
      pending.set(keyOf(topic), topic)
      if (isScheduled) return
      isScheduled = true
      // Runs after all marks of this fan-out, and before anything else.
      queueMicrotask(flush)
    },
    async settled() {
      if (isScheduled) await Promise.resolve()
      await last
    },
  }
}

/** The client sees no difference between resources of the hub and of upstreams. */
function keyOf(topic: Topic): string {
  return topic.kind === 'list' ? topic.list : `resource ${topic.uri}`
}
