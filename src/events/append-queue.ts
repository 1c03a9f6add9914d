/**
 * Group commit: what is appended while a commit is being made, or within one turn of the event loop, shares the next one.
 * The queue is bounded; beyond that appending fails at once, which is better than a hub that runs out of memory.
 */
import { HubError } from '../base/hub-error.ts'
import { bytesOf } from './event-record.ts'
import type { EventRecord } from './event-record.ts'
import type { EventStorage, WriteResult } from './event-storage.ts'

export interface AppendQueue {
  /** The seq, once the record is committed. */
  append(record: EventRecord): Promise<number>
  /** Takes no more, and resolves when all that was appended is settled. */
  close(): Promise<void>
}

interface Waiting {
  readonly record: EventRecord
  readonly resolve: (seq: number) => void
  readonly reject: (error: HubError) => void
}

const mostWaiting = 50_000
const mostWaitingBytes = 128 * 1024 * 1024
const mostOffered = 1_000

export function createAppendQueue(
  storage: Pick<EventStorage, 'write'>,
  onCommit: (lastSeq: number, bytes: number) => void,
): AppendQueue {
  const waiting: Waiting[] = []
  /** How many at the front are settled already; taking each off the front would move all the others. */
  let settled = 0
  let waitingBytes = 0
  let writing: Promise<void> | undefined
  let isClosed = false

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
  }
  const offered = (): EventRecord[] => waiting.slice(settled, settled + mostOffered).map(({ record }) => record)
  const write = async (): Promise<void> => {
    while (waiting.length > settled) {
      settleFirst(await storage.write(offered))
    }
    writing = undefined
  }

  return {
    append(record) {
      if (isClosed) return Promise.reject(new HubError('unavailable', 'The event log is closed: the hub is stopping.'))
      if (waiting.length - settled >= mostWaiting || waitingBytes >= mostWaitingBytes) {
        const message =
          'The event log cannot keep up: too many events are waiting to be written. Try again in a moment.'
        return Promise.reject(new HubError('busy', message))
      }
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      waiting.push({ record, resolve, reject })
      waitingBytes += bytesOf(record)
      writing ??= write()
      return promise
    },
    async close() {
      isClosed = true
      await writing
    },
  }
}
