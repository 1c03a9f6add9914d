/**
 * Group commit: events that are appended during a commit, or within one turn of the event loop, share the next commit.
 * The queue is bounded. When it is full, an append fails at once, because otherwise the hub would run out of memory.
 */
import { HubError } from '../base/hub-error.ts'
import { bytesOf } from './event-record.ts'
import type { EventRecord } from './event-record.ts'
import type { EventStorage, WriteResult } from './event-storage.ts'

export interface AppendQueue {
  /** Resolves with the seq once the record is committed. */
  append(record: EventRecord): Promise<number>
  /**
   * Adds the record to the next commit, which starts within `laterMs`. Calls `onLost` if the record cannot be written.
   */
  appendLater(record: EventRecord, onLost: (error: HubError) => void): void
  /** Resolves when every `appendLater` record so far is written or has failed. */
  flush(): Promise<void>
  /** Refuses further appends, and resolves when all earlier ones are written or have failed. */
  close(): Promise<void>
}

interface Waiting {
  readonly record: EventRecord
  readonly resolve: (seq: number) => void
  readonly reject: (error: HubError) => void
  /** Resolves when the record is written or has failed. */
  settled?: PromiseWithResolvers<void>
}

const mostWaiting = 50_000
const mostWaitingBytes = 128 * 1024 * 1024
const mostOffered = 1_000
/** How long a record may wait for another to share its commit. A killed hub loses at most this much time. */
const laterMs = 50

export function createAppendQueue(
  storage: Pick<EventStorage, 'write'>,
  onCommit: (lastSeq: number, bytes: number) => void,
): AppendQueue {
  const waiting: Waiting[] = []
  /** How many records at the front are settled. Removing each one singly would shift all the others every time. */
  let settled = 0
  let waitingBytes = 0
  let writing: Promise<void> | undefined
  let isClosed = false
  /** The newest `appendLater` record that is not settled. */
  let lastLater: Waiting | undefined
  let timer: NodeJS.Timeout | undefined

  const settleFirst = (result: WriteResult): void => {
    const group = waiting.slice(settled, settled + result.count)
    settled += result.count
    if (settled * 2 > waiting.length) {
      waiting.splice(0, settled)
      settled = 0
    }
    const bytes = group.reduce((sum, { record }) => sum + bytesOf(record), 0)
    waitingBytes -= bytes
    switch (result.is) {
      case 'written':
        group.forEach(({ resolve }, index) => resolve(result.firstSeq + index))
        onCommit(result.firstSeq + result.count - 1, bytes)
        break
      case 'failed':
        for (const { reject } of group) reject(result.error)
        break
    }
    for (const one of group) {
      one.settled?.resolve()
      if (one === lastLater) lastLater = undefined
    }
  }
  const offered = (): EventRecord[] => waiting.slice(settled, settled + mostOffered).map(({ record }) => record)
  const write = async (): Promise<void> => {
    while (waiting.length > settled) {
      settleFirst(await storage.write(offered))
    }
    writing = undefined
  }

  const add = (one: Waiting): void => {
    waiting.push(one)
    waitingBytes += bytesOf(one.record)
  }
  const writeNow = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > settled) writing ??= write()
  }
  const refusal = (): HubError | undefined => {
    if (isClosed) return new HubError('unavailable', 'The event log is closed: the hub is stopping.')
    if (waiting.length - settled < mostWaiting && waitingBytes < mostWaitingBytes) return undefined
    const message = 'The event log cannot keep up: too many events are waiting to be written. Try again in a moment.'
    return new HubError('busy', message)
  }

  return {
    append(record) {
      const refused = refusal()
      if (refused) return Promise.reject(refused)
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      add({ record, resolve, reject })
      writing ??= write()
      return promise
    },
    appendLater(record, onLost) {
      const refused = refusal()
      if (refused) return onLost(refused)
      add((lastLater = { record, resolve() {}, reject: onLost }))
      // During a commit no timer is needed, since the next commit follows at once. A timer that finds nothing does
      // nothing.
      if (!writing) timer ??= setTimeout(writeNow, laterMs).unref()
    },
    async flush() {
      if (!lastLater) return
      const { promise } = (lastLater.settled ??= Promise.withResolvers())
      writeNow()
      await promise
    },
    async close() {
      isClosed = true
      writeNow()
      await writing
    },
  }
}
