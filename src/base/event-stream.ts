/** Server-sent events, as the hub, its CLI and its page read them. Runs in a browser. */
import { createParser } from 'eventsource-parser'
import { HubError } from './hub-error.ts'

export interface ServerEvent {
  readonly event: string | undefined
  /** The id to continue from after this event. */
  readonly id: string | undefined
  readonly data: string
}

export interface EventListeners {
  onEvent(event: ServerEvent): void
  onRetry?(ms: number): void
  onComment?(comment: string): void
}

/** The default, for answers of a hub, which are far smaller. */
const mostBytes = 64 * 1024 * 1024
/** Of data, in one event. The parser keeps far more for each line than its text. */
const mostLines = 100_000
/** The lines of shorter events are not counted. */
const uncounted = 64 * 1024
const dataLine = /[\r\n]data(?=[:\r\n])/g

/** Returns a function that takes the bytes as they come. It throws if an event is larger than `maxBytes`. */
export function createEventReader(listeners: EventListeners, maxBytes = mostBytes): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder()
  let size = 0
  let lines = 0
  /** As much of the last text as may belong to a line that this one ends. */
  let last = ''
  // No `onError`: the parser would make an error, with its stack, for every line that is no field.
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent({ event, id, data }) {
      size = 0
      lines = 0
      listeners.onEvent({ event, id, data })
    },
    onRetry: (ms) => listeners.onRetry?.(ms),
    onComment: (comment) => listeners.onComment?.(comment),
  })
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true })
    parser.feed(text)
    size += text.length
    const joined = last + text
    if (size > uncounted && (lines += countOf(dataLine, joined)) > mostLines) throw tooManyLines()
    last = joined.slice(-'\ndata'.length)
    try {
      // After an event that is too large the parser takes no more text, and throws even for this.
      parser.feed('')
    } catch {
      throw tooLarge(maxBytes)
    }
  }
}

/** The events of a body, read only as fast as they are taken. */
export async function* eventsIn(
  body: AsyncIterable<Uint8Array>,
  onRetry?: (ms: number) => void,
): AsyncGenerator<ServerEvent, void> {
  const waiting: ServerEvent[] = []
  const read = createEventReader({ onEvent: (event) => waiting.push(event), ...(onRetry && { onRetry }) })
  for await (const chunk of body) {
    read(chunk)
    yield* waiting.splice(0)
  }
}

/** Events without a name, or with an id and no data, are common. Those with another name are not MCP. */
export function isMessage({ event, data }: ServerEvent): boolean {
  return data !== '' && (event === undefined || event === 'message')
}

function countOf(pattern: RegExp, text: string): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count++
  return count
}

function tooManyLines(): HubError {
  return new HubError('too-large', `The server answered with more than ${mostLines} lines of data in one event.`)
}

export function tooLarge(maxBytes: number): HubError {
  return new HubError('too-large', `The server answered with more than ${maxBytes} bytes in one message.`)
}
