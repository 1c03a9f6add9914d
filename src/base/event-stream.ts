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
  onComment?(): void
}

/** The default, for answers of a hub, which are far smaller. */
const mostBytes = 64 * 1024 * 1024

/** Returns a function that takes the bytes as they come. It throws if an event is larger than `maxBytes`. */
export function createEventReader(listeners: EventListeners, maxBytes = mostBytes): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder()
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: ({ event, id, data }) => listeners.onEvent({ event, id, data }),
    onRetry: (ms) => listeners.onRetry?.(ms),
    onComment: () => listeners.onComment?.(),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  })
  return (chunk) => {
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (isTooLarge) throw tooLarge(maxBytes)
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

export function tooLarge(maxBytes: number): HubError {
  return new HubError('too-large', `The server answered with more than ${maxBytes} bytes in one message.`)
}
