/**
 * A stream of a legacy connection that a client can leave and resume. Each event is stored before it is sent, so what
 * was seen is never taken back and what was missed can be read again, also by the next hub.
 */
import { createSerial } from '../base/serial.ts'
import type { ConnectionRecords, StoredEvent } from './connection-records.ts'
import type { Topic } from './notices.ts'
import type { Outlet } from './reply.ts'
import type { RequestId, RpcMessage } from './wire.ts'

/** `undefined` stands for an event that only carries an id. */
type Messages = readonly (RpcMessage | undefined)[]

/** None of its promises rejects. */
export interface ResumableStream {
  /** Somebody listens, and reads fast enough. */
  readonly isReady: boolean
  /**
   * Sends what is stored after `afterSeq` (default: nothing old), then goes on live.
   * Answers whether all of it was still there.
   */
  attach(outlet: Outlet, afterSeq?: number): Promise<boolean>
  /** Stores, then sends. `delivered` are the topics that these messages tell of. */
  push(messages: Messages, delivered?: readonly Topic[]): Promise<void>
  /** Lets the client go; it comes back after `retryMs`. */
  release(retryMs: number): Promise<void>
  /** Nothing more will come. */
  complete(): Promise<void>
}

interface StreamOptions {
  readonly records: ConnectionRecords
  readonly connectionId: string
  readonly id: string
  readonly requestId?: RequestId
  /** The store failed. What is said now still reaches a client that listens, but cannot be resumed. */
  readonly onError: (error: unknown) => void
}

export function createResumableStream(options: StreamOptions): ResumableStream {
  const { records, connectionId, id, requestId, onError } = options
  const serial = createSerial()
  /** Each message goes out once, on the newest: the likeliest to be alive. */
  const outlets: Outlet[] = []
  let nextSeq = 0

  /** Not before it is needed: most connections never listen. Goes on where an earlier hub stopped. */
  async function open(): Promise<void> {
    if (nextSeq > 0) return
    const earlier = await records.readStream(connectionId, id, Number.MAX_SAFE_INTEGER)
    if (!earlier) await records.openStream(connectionId, id, requestId)
    nextSeq = earlier?.nextSeq ?? 1
  }

  async function store(messages: Messages, delivered: readonly Topic[] | undefined): Promise<readonly StoredEvent[]> {
    await open()
    const events = messages.map((message, index) => ({ seq: nextSeq + index, message }))
    await records.append(connectionId, id, events, delivered)
    nextSeq += events.length
    return events
  }

  async function replay(outlet: Outlet, afterSeq: number): Promise<boolean> {
    const events = (await records.readStream(connectionId, id, afterSeq))?.events ?? []
    for (const event of events) writeEvent(outlet, id, event)
    return (events[0]?.seq ?? nextSeq) <= afterSeq + 1
  }

  return {
    get isReady() {
      const outlet = outlets.at(-1)
      return outlet !== undefined && outlet.isOpen && outlet.isReady
    },
    attach: (outlet, afterSeq) =>
      serial(async () => {
        let isWhole = true
        try {
          await open()
          if (afterSeq !== undefined) isWhole = await replay(outlet, afterSeq)
        } catch (error) {
          onError(error)
          isWhole = false
        }
        if (outlet.isOpen) outlets.push(outlet)
        outlet.onClose(() => remove(outlets, outlet))
        return isWhole
      }),
    push: (messages, delivered) =>
      serial(async () => {
        let events: readonly StoredEvent[] | undefined
        try {
          events = await store(messages, delivered)
        } catch (error) {
          onError(error)
        }
        const outlet = outlets.at(-1)
        if (!outlet) return
        if (events) for (const event of events) writeEvent(outlet, id, event)
        else for (const message of messages) if (message) outlet.send(message)
      }),
    release: (retryMs) =>
      serial(async () => {
        for (const outlet of outlets.splice(0)) outlet.end({ retryMs })
      }),
    complete: () =>
      serial(async () => {
        await records.completeStream(connectionId, id).catch(onError)
        for (const outlet of outlets.splice(0)) outlet.end()
      }),
  }
}

export function writeEvent(outlet: Outlet, streamId: string, { seq, message }: StoredEvent): void {
  const eventId = `${streamId}.${seq}`
  if (message === undefined) outlet.prime(eventId)
  else outlet.send(message, eventId)
}

/** `<stream>.<seq>`, as it stands in `Last-Event-ID`. */
export function parseEventId(eventId: string): { streamId: string; seq: number } | undefined {
  const [, streamId, seq] = /^([a-z0-9]+)\.(\d{1,15})$/.exec(eventId) ?? []
  return streamId === undefined ? undefined : { streamId, seq: Number(seq) }
}

function remove<Item>(items: Item[], item: Item): void {
  const index = items.indexOf(item)
  if (index >= 0) items.splice(index, 1)
}
