/**
 * A stream of a legacy connection that a client can leave and resume. Each event is stored before it is sent, so a client
 * never sees an event that is lost later, and missed events can be sent again, even by the next hub.
 */
import { parseExactly } from '../base/exact-numbers.ts'
import { createSerial } from '../base/serial.ts'
import type { RequestId, RpcMessage, RpcResponse, Topic } from '../mcp/mcp.ts'
import type { ConnectionRecords, StoredEvent } from './connection-records.ts'
import type { Outlet } from './reply.ts'

/** `undefined` stands for an event that only has an id. */
type Messages = readonly (RpcMessage | undefined)[]

/** Only the promise of `answerIfLost` can reject. */
export interface ResumableStream {
  /** True if a client has the stream open and reads fast enough. */
  readonly isReady: boolean
  /**
   * Sends the stored events after `afterSeq` (default: none), then continues with live events.
   * Returns whether all of the stored events still existed.
   */
  attach(outlet: Outlet, afterSeq?: number): Promise<boolean>
  /**
   * For a client that has no id to resume from. It may have lost the messages that were sent since the stream was last
   * opened this way, so they are sent again, unless another stream is open.
   */
  attachWithoutId(outlet: Outlet): Promise<boolean>
  /** Stores, then sends. `delivered` are the topics that these messages report. */
  push(messages: Messages, delivered?: readonly Topic[]): Promise<void>
  /** The answer that the next hub gives if this one dies before it answers. */
  answerIfLost(response: RpcResponse | undefined): Promise<void>
  /** Closes the open streams. The client reconnects after `retryMs`. */
  release(retryMs: number): Promise<void>
  /** Ends the stream for good. */
  complete(): Promise<void>
}

/**
 * How long a client waits before it reconnects for the answer to a call that is held for a person. SDK clients try twice
 * and then hang, so a hub may be down for twice this time. The answer is at most this much late.
 */
const heldRetryMs = 10_000

/** How long a client may stay away before its call is cancelled. */
const resumeWithinMs = 60_000

interface StreamOptions {
  readonly records: ConnectionRecords
  readonly connectionId: string
  readonly id: string
  readonly requestId?: RequestId
  /** Whether the client understands an event that only has an id. */
  readonly canPrime: boolean
  /** Called when the stream is not complete and has had no reader for a while. */
  readonly onDeserted?: () => void
  /** Called when the first reader comes, and when the last one leaves before the stream is complete. */
  readonly onReaders?: (hasReaders: boolean) => void
  /** The store failed. Messages are still sent to an open stream, but cannot be resumed. */
  readonly onError: (error: unknown) => void
}

export function createResumableStream(options: StreamOptions): ResumableStream {
  const { records, connectionId, id, requestId, canPrime, onDeserted, onReaders, onError } = options
  const serial = createSerial()
  /** Each message is sent once, on the newest stream, which is the most likely to be alive. */
  const outlets: Outlet[] = []
  let nextSeq = 0
  let isComplete = false
  let isHeld = false
  let deserted: NodeJS.Timeout | undefined

  /** Runs on first use, since most connections never open the stream. Continues the numbers of an earlier hub. */
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
    await sendPaced(outlet, events, (event) => write(outlet, event))
    return (events[0]?.seq ?? nextSeq) <= afterSeq + 1
  }

  function write(outlet: Outlet, event: StoredEvent): void {
    if (event.message !== undefined || canPrime) writeEvent(outlet, id, event)
  }

  function add(outlet: Outlet): void {
    clearTimeout(deserted)
    if (isComplete) outlet.end()
    else if (outlet.isOpen && outlets.push(outlet) === 1) onReaders?.(true)
    if (isHeld) outlet.retryAfter(heldRetryMs)
    outlet.onClose(() => leave(outlet))
    if (!outlet.isOpen) leave(outlet)
  }

  function leave(outlet: Outlet): void {
    const index = outlets.indexOf(outlet)
    if (index >= 0) outlets.splice(index, 1)
    if (isComplete || outlets.length > 0) return
    onReaders?.(false)
    if (!onDeserted) return
    clearTimeout(deserted)
    deserted = setTimeout(onDeserted, resumeWithinMs).unref()
  }

  /** Each message since the stream was last opened without an id, once. */
  async function messagesSinceOpened(): Promise<readonly RpcMessage[]> {
    const { events = [] } = (await records.readStream(connectionId, id, 0)) ?? {}
    const opened = events.findLastIndex(({ message }) => message === undefined)
    const sent = events.slice(opened + 1).map(({ message }) => JSON.stringify(message))
    return [...new Set(sent)].map((text) => parseExactly(text) as RpcMessage)
  }

  async function send(messages: Messages, delivered?: readonly Topic[]): Promise<void> {
    let events: readonly StoredEvent[] | undefined
    try {
      events = await store(messages, delivered)
    } catch (error) {
      onError(error)
    }
    const outlet = outlets.at(-1)
    if (!outlet) return
    if (events) for (const event of events) write(outlet, event)
    else for (const message of messages) if (message) outlet.send(message)
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
          if (afterSeq !== undefined) {
            // Repeats the client's own position: a client that is cut off before the next event would forget it.
            if (canPrime) outlet.prime(`${id}.${afterSeq}`)
            isWhole = await replay(outlet, afterSeq)
          }
        } catch (error) {
          onError(error)
          isWhole = false
        }
        add(outlet)
        return isWhole
      }),
    attachWithoutId: (outlet) =>
      serial(async () => {
        const isAlone = !outlets.some((other) => other.isOpen)
        const missed = isAlone ? await messagesSinceOpened().catch(() => undefined) : []
        add(outlet)
        await send([undefined, ...(missed ?? [])])
        return missed !== undefined
      }),
    answerIfLost: (response) =>
      serial(async () => {
        await open()
        await records.setAnswerIfLost(connectionId, id, response)
        isHeld = response !== undefined
        if (isHeld) outlets.at(-1)?.retryAfter(heldRetryMs)
      }),
    push: (messages, delivered) => serial(() => send(messages, delivered)),
    release: (retryMs) =>
      serial(async () => {
        for (const outlet of outlets.splice(0)) {
          outlet.retryAfter(retryMs)
          outlet.end()
        }
      }),
    complete: () =>
      serial(async () => {
        isComplete = true
        clearTimeout(deserted)
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

/** Waits for a slow reader. Stored events can wait. */
export async function sendPaced(
  outlet: Outlet,
  events: readonly StoredEvent[],
  write: (event: StoredEvent) => void,
): Promise<void> {
  let wake = () => {}
  outlet.onDrain(() => wake())
  outlet.onClose(() => wake())
  for (const event of events) {
    while (outlet.isOpen && !outlet.isReady) await new Promise<void>((resolve) => (wake = resolve))
    write(event)
  }
}

/** Parses `<stream>.<seq>` from `Last-Event-ID`. */
export function parseEventId(eventId: string): { streamId: string; seq: number } | undefined {
  const [, streamId, seq] = /^([a-z0-9]+)\.(\d{1,15})$/.exec(eventId) ?? []
  return streamId === undefined ? undefined : { streamId, seq: Number(seq) }
}
