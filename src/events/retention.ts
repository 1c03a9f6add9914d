/** Keeps the log within its limits of age and size, and records in the log how many events were dropped. */
import type { NewEvent } from '../api/event.ts'
import type { DroppedEvents, EventLimits } from './event-storage.ts'

export interface RetentionLimits {
  readonly maxAgeMs: number
  readonly maxBytes: number
  /** The interval between checks, by default a minute. */
  readonly everyMs?: number
}

export interface Retention extends AsyncDisposable {
  /** Counts written bytes, and starts a check early after many of them. */
  noteWritten(bytes: number): void
}

export interface RetentionDeps {
  readonly limits: RetentionLimits
  readonly now: () => Date
  readonly dropOldest: (limits: EventLimits) => Promise<DroppedEvents | undefined>
  readonly tell: (event: NewEvent) => Promise<unknown>
  readonly onFault: (error: unknown) => void
}

const everyMs = 60_000
/** The share of the size limit that may be written before an early check. */
const slackBytes = 0.05

export function startRetention({ limits, now, dropOldest, tell, onFault }: RetentionDeps): Retention {
  let written = 0
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    const before = new Date(now().getTime() - limits.maxAgeMs).toISOString()
    const dropped = await dropOldest({ before, maxBytes: limits.maxBytes })
    if (dropped === undefined) return
    const { count, firstSeq, lastSeq } = dropped
    await tell({ type: 'events-dropped', payload: { count, first_seq: firstSeq, last_seq: lastSeq } })
  }
  const start = (): void => {
    written = 0
    running ??= run()
      .catch(onFault)
      .finally(() => (running = undefined))
  }

  const timer = setInterval(start, limits.everyMs ?? everyMs)
  timer.unref()
  return {
    noteWritten(bytes) {
      written += bytes
      if (written > limits.maxBytes * slackBytes) start()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
    },
  }
}
