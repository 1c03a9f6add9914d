/** Readers for response bodies. Each has a limit on what it keeps. */
import { createEventReader, tooLarge } from '../base/event-stream.ts'
import type { ServerEvent } from '../base/event-stream.ts'
import type { BodyReader } from './http-client.ts'

const smallestBuffer = 64 * 1024

/** Passes on the whole text once it is complete. */
export function wholeText(options: {
  readonly maxBytes: number
  done(text: string): void
  broken(error: Error): void
}): BodyReader {
  const { maxBytes, done, broken } = options
  // Most bodies are one chunk and are not copied. Others fill a buffer that doubles as it grows.
  let buffer: Buffer | undefined
  let size = 0
  return {
    data(chunk) {
      if (size + chunk.length > maxBytes) throw tooLarge(maxBytes)
      if (!buffer) buffer = chunk
      else {
        if (size + chunk.length > buffer.length) {
          const larger = Buffer.allocUnsafe(Math.max(smallestBuffer, buffer.length * 2, size + chunk.length))
          buffer.copy(larger, 0, 0, size)
          buffer = larger
        }
        chunk.copy(buffer, size)
      }
      size += chunk.length
    },
    end: () => done(buffer?.toString('utf8', 0, size) ?? ''),
    broken,
  }
}

/** Keeps only the beginning, to show to people. The rest is read and dropped. */
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

/** Passes on server-sent events one by one. Calls `active` for every chunk, comments included. */
export function eventStream(options: {
  readonly maxBytes: number
  event(event: ServerEvent): void
  retry?(ms: number): void
  active?(): void
  comment?(): void
  /** `error` is set if the stream broke off. */
  over(error?: Error): void
}): BodyReader {
  const { maxBytes, event, retry, active, comment, over } = options
  const read = createEventReader(
    { onEvent: event, onRetry: (ms) => retry?.(ms), onComment: () => comment?.() },
    maxBytes,
  )
  return {
    data(chunk) {
      active?.()
      read(chunk)
    },
    end: () => over(),
    broken: over,
  }
}
