/**
 * A stream of a legacy connection that a client can leave and resume. Each event is stored before it is sent, so what
 * was seen is never taken back and what was missed can be read again, also by the next hub.
 */
import { parseExactly } from '../base/exact-numbers.ts'
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
  /**
   * For a client that has no id to go on from. What the stream said since it was last opened so may have been lost with
   * it, and is said again, unless somebody else listens.
   */
  attachAnew(outlet: Outlet): Promise<boolean>
  /** Stores, then sends. `delivered` are the topics that these messages tell of. */
  push(messages: Messages, delivered?: readonly Topic[]): Promise<void>
  /** Lets the client go; it comes back after `retryMs`. */
  release(retryMs: number): Promise<void>
  /** Nothing more will come. */
  complete(): Promise<void>
}

/** How long a client may be away before it is given up. */
const resumeWithinMs = 60_000

interface StreamOptions {
  readonly records: ConnectionRecords
  readonly connectionId: string
  readonly id: string
  readonly requestId?: RequestId
  /** Whether the client understands an event that only carries an id. */
  readonly canPrime: boolean
  /** Nobody has listened for a while, and it is not complete. */
  readonly onDeserted?: () => void
  /** The store failed. What is said now still reaches a client that listens, but cannot be resumed. */
  readonly onError: (error: unknown) => void
}

export function createResumableStream(options: StreamOptions): ResumableStream {
  const { records, connectionId, id, requestId, canPrime, onDeserted, onError } = options
  const serial = createSerial()
  /** Each message goes out once, on the newest: the likeliest to be alive. */
  const outlets: Outlet[] = []
  let nextSeq = 0
  let isComplete = false
  let deserted: NodeJS.Timeout | undefined

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
    await sendPaced(outlet, events, (event) => write(outlet, event))
    return (events[0]?.seq ?? nextSeq) <= afterSeq + 1
  }

  function write(outlet: Outlet, event: StoredEvent): void {
    if (event.message !== undefined || canPrime) writeEvent(outlet, id, event)
  }

  function add(outlet: Outlet): void {
    clearTimeout(deserted)
    if (isComplete) outlet.end()
    else if (outlet.isOpen) outlets.push(outlet)
    outlet.onClose(() => leave(outlet))
    if (!outlet.isOpen) leave(outlet)
  }

  function leave(outlet: Outlet): void {
    const index = outlets.indexOf(outlet)
    if (index >= 0) outlets.splice(index, 1)
    if (!onDeserted || isComplete || outlets.length > 0) return
    clearTimeout(deserted)
    deserted = setTimeout(onDeserted, resumeWithinMs).unref()
  }

  /** Each message since the stream was last opened anew, once. */
  async function saidSinceOpened(): Promise<readonly RpcMessage[]> {
    const { events = [] } = (await records.readStream(connectionId, id, 0)) ?? {}
    const opened = events.findLastIndex(({ message }) => message === undefined)
    const said = events.slice(opened + 1).map(({ message }) => JSON.stringify(message))
    return [...new Set(said)].map((text) => parseExactly(text) as RpcMessage)
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
            // Its own place, told again: a client that is cut off before anything new comes would forget it.
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
    attachAnew: (outlet) =>
      serial(async () => {
        const isAlone = !outlets.some((other) => other.isOpen)
        const missed = isAlone ? await saidSinceOpened().catch(() => undefined) : []
        add(outlet)
        await send([undefined, ...(missed ?? [])])
        return missed !== undefined
      }),
    push: (messages, delivered) => serial(() => send(messages, delivered)),
    release: (retryMs) =>
      serial(async () => {
        for (const outlet of outlets.splice(0)) outlet.end({ retryMs })
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

/** What is stored can wait: a reader that takes its time is not overrun with it. */
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

/** `<stream>.<seq>`, as it stands in `Last-Event-ID`. */
export function parseEventId(eventId: string): { streamId: string; seq: number } | undefined {
  const [, streamId, seq] = /^([a-z0-9]+)\.(\d{1,15})$/.exec(eventId) ?? []
  return streamId === undefined ? undefined : { streamId, seq: Number(seq) }
}
