/** Readers for response bodies. Each has a limit on what it keeps. */
import { createEventReader, tooLarge } from '../base/event-stream.ts'
import type { ServerEvent } from '../base/event-stream.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import { noRoomError } from './held-bytes.ts'
import type { Body, BodyReader } from './http-client.ts'

const smallestBuffer = 64 * 1024
/** Smaller buffers are not counted. */
const uncounted = 1024 * 1024

/** Passes on the whole JSON once it is complete. Its memory then belongs to the receiver. */
export function wholeJson(options: {
  readonly body: Body
  readonly maxBytes: number
  done(json: Buffer | string): boolean | Promise<boolean>
  broken(error: Error): void
}): BodyReader {
  const { body, maxBytes, done, broken } = options
  // Most bodies are one chunk and are not copied. Others fill a buffer that doubles as it grows.
  let buffer: Buffer | undefined
  let size = 0
  return {
    data(chunk) {
      if (size + chunk.length > maxBytes) throw tooLarge(maxBytes)
      if (!buffer && chunk.length <= smallestBuffer) buffer = chunk
      else {
        if (!buffer || size + chunk.length > buffer.length) {
          const larger = Buffer.allocUnsafe(Math.max(smallestBuffer, size * 2, size + chunk.length))
          if (larger.length > uncounted && !body.mayKeep(larger.length)) throw noRoomError()
          buffer?.copy(larger, 0, 0, size)
          buffer = larger
        }
        chunk.copy(buffer, size)
      }
      size += chunk.length
    },
    end: () => body.step(() => done(buffer?.subarray(0, size) ?? '')),
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
  readonly body: Body
  readonly maxBytes: number
  /** Returns whether it answered an open request. */
  event(event: ServerEvent): boolean | Promise<boolean>
  retry?(ms: number): void
  active?(): void
  comment?(): void
  /** `error` is set if the stream broke off. */
  over(error?: Error): void
}): BodyReader {
  const { body, maxBytes, event, retry, active, comment, over } = options
  /** About the bytes of the event that has begun. */
  let unfinished = 0
  const read = createEventReader(
    {
      onEvent(each) {
        unfinished = 0
        const id = each.id === undefined ? undefined : shortId(each.id)
        body.step(() => event({ ...each, id }))
      },
      onRetry: (ms) => retry?.(ms),
      onComment(text) {
        unfinished -= text.length
        comment?.()
      },
    },
    maxBytes,
  )
  return {
    inPieces: true,
    data(chunk) {
      active?.()
      unfinished += chunk.length
      read(chunk)
      if (!body.mayKeep(unfinished > uncounted ? unfinished : 0)) throw noRoomError()
    },
    end: () => over(),
    broken: over,
  }
}

function shortId(id: string): string {
  if (!isReturnable(id)) throw new TooLongToReturn('An event id')
  // A part of a text keeps the whole text in memory.
  return Buffer.from(id).toString()
}
