/** Keeps the log within its age and size, and tells in the log itself what was dropped. */
import type { NewEvent } from '../api/event.ts'
import type { DroppedEvents, EventLimits } from './event-storage.ts'

export interface RetentionLimits {
  readonly maxAgeMs: number
  readonly maxBytes: number
  /** How often to look; a minute unless told. */
  readonly everyMs?: number
}

export interface Retention extends AsyncDisposable {
  /** Something of this size was written: looks earlier if much was. */
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
/** A log may outgrow its size by this part of it before it is cut. */
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
