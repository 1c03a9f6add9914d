/**
 * Group commit: events that are appended during a commit, or within one turn of the event loop, share the next commit.
 * The queue is bounded. When it is full, an append fails at once, because otherwise the hub would run out of memory.
 * What the program of a session causes may take only a share of it, so that a session that causes events without end is
 * refused alone. And what programs cause may not take all of it, so that there are places for what people do.
 */
import type { EventType } from '../api/event.ts'
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

interface Share {
  records: number
  bytes: number
}

const mostWaiting = 50_000
const mostWaitingBytes = 128 * 1024 * 1024
/** For people, of the above. */
const keptPlaces = 5_000
const keptBytes = 16 * 1024 * 1024
/** Of one session. A single record may exceed it. */
const mostOfSession = 1_000
const mostBytesOfSession = 16 * 1024 * 1024
/** A program can cause these without end, if it is allowed to. */
const ofPrograms: ReadonlySet<string> = new Set<EventType>([
  'tool-called',
  'tool-answered',
  'model-called',
  'model-answered',
  'turn-started',
  'turn-ended',
  'action-routed',
  'approval-requested',
  'network-decided',
  'activity-changed',
  'chat-posted',
  'policy-proposed',
  'job-queued',
])
const mostOffered = 1_000
/** How long a record may wait for another to share its commit. A killed hub loses at most this much time. */
const laterMs = 50

const mostOfAllPrograms = [mostWaiting - keptPlaces, mostWaitingBytes - keptBytes] as const
const tooMany = 'The event log cannot keep up: too many events'

export function createAppendQueue(
  storage: Pick<EventStorage, 'write'>,
  onCommit: (lastSeq: number, bytes: number) => void,
): AppendQueue {
  const waiting: Waiting[] = []
  /** How many records at the front are settled. Removing each one singly would shift all the others every time. */
  let settled = 0
  let waitingBytes = 0
  const shares = new Map<string, Share>()
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
    for (const { record } of group) leaveShare(record)
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
      settleFirst(await storage.write(offered, () => isClosed))
    }
    writing = undefined
  }

  const add = (one: Waiting): void => {
    waiting.push(one)
    waitingBytes += bytesOf(one.record)
    enterShare(one.record)
  }
  const enterShare = (record: EventRecord): void => {
    const session = sessionOf(record)
    if (session === undefined) return
    const share = shares.get(session)
    if (!share) return void shares.set(session, { records: 1, bytes: bytesOf(record) })
    share.records += 1
    share.bytes += bytesOf(record)
  }
  const leaveShare = (record: EventRecord): void => {
    const session = sessionOf(record)
    const share = session === undefined ? undefined : shares.get(session)
    if (session === undefined || !share) return
    share.records -= 1
    share.bytes -= bytesOf(record)
    if (share.records === 0) shares.delete(session)
  }
  const writeNow = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > settled) writing ??= write()
  }
  /** `isOutcome`: of a call that has run. Its share has let the call in. */
  const refusal = (record: EventRecord, isOutcome = false): HubError | undefined => {
    if (isClosed) return new HubError('unavailable', 'The event log is closed: the hub is stopping.')
    const session = sessionOf(record)
    const share = session === undefined || isOutcome ? undefined : shares.get(session)
    if (share && (share.records >= mostOfSession || share.bytes >= mostBytesOfSession)) {
      return new HubError('busy', `${tooMany} of this session are waiting to be written. Try again in a moment.`)
    }
    const [places, bytes] = session === undefined ? [mostWaiting, mostWaitingBytes] : mostOfAllPrograms
    if (waiting.length - settled < places && waitingBytes < bytes) return undefined
    return new HubError('busy', `${tooMany} are waiting to be written. Try again in a moment.`)
  }

  return {
    append(record) {
      const refused = refusal(record)
      if (refused) return Promise.reject(refused)
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      add({ record, resolve, reject })
      writing ??= write()
      return promise
    },
    appendLater(record, onLost) {
      const refused = refusal(record, true)
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

/** `undefined`: no program has caused it. */
function sessionOf({ session, type }: EventRecord): string | undefined {
  return session !== null && ofPrograms.has(type) ? session : undefined
}
