/** Ways to read the body of a response, none of which keeps more than it may. */
import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { HubError } from '../../base/hub-error.ts'
import type { BodyReader } from './http-client.ts'

const smallestBuffer = 64 * 1024

/** The whole text, once it is complete. */
export function wholeText(options: {
  readonly maxBytes: number
  done(text: string): void
  broken(error: Error): void
}): BodyReader {
  const { maxBytes, done, broken } = options
  // Most bodies are one chunk, and are not copied. The others fill a buffer that grows by doubling.
  let held: Buffer | undefined
  let size = 0
  return {
    data(chunk) {
      if (size + chunk.length > maxBytes) throw tooLarge(maxBytes)
      if (!held) held = chunk
      else {
        if (size + chunk.length > held.length) {
          const larger = Buffer.allocUnsafe(Math.max(smallestBuffer, held.length * 2, size + chunk.length))
          held.copy(larger, 0, 0, size)
          held = larger
        }
        chunk.copy(held, size)
      }
      size += chunk.length
    },
    end: () => done(held?.toString('utf8', 0, size) ?? ''),
    broken,
  }
}

/** Only its beginning, for a person; the rest is read and dropped. */
export function beginningOfText(maxBytes: number, done: (text: string) => void): BodyReader {
  let text = ''
  return {
    data(chunk) {
      if (text.length < maxBytes) text += chunk.toString('utf8', 0, maxBytes - text.length)
    },
    end: () => done(text),
    broken: () => done(text),
  }
}

export function noBody(done: () => void = () => {}): BodyReader {
  return { data() {}, end: done, broken: done }
}

export interface StreamEvent {
  readonly event: string | undefined
  readonly id: string | undefined
  readonly data: string
}

/** Other events than messages are none of ours; those without a name, or with no data but an id, are common. */
export function isMessage({ event, data }: StreamEvent): boolean {
  return data !== '' && (event === undefined || event === 'message')
}

/** Server-sent events, one by one. `active` is called for whatever comes, comments too. */
export function eventStream(options: {
  readonly maxBytes: number
  event(event: StreamEvent): void
  retry?(ms: number): void
  active?(): void
  comment?(): void
  /** `error`: it broke off. */
  over(error?: Error): void
}): BodyReader {
  const { maxBytes, event, retry, active, comment, over } = options
  const decoder = new StringDecoder('utf8')
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: ({ event: name, id, data }) => event({ event: name, id, data }),
    onRetry: (ms) => retry?.(ms),
    onComment: () => comment?.(),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  })
  return {
    data(chunk) {
      active?.()
      parser.feed(decoder.write(chunk))
      if (isTooLarge) throw tooLarge(maxBytes)
    },
    end: () => over(),
    broken: over,
  }
}

function tooLarge(maxBytes: number): HubError {
  return new HubError('too-large', `The upstream answered with more than ${maxBytes} bytes in one message.`)
}
