/** Splits a stream of bytes into lines, however the bytes are cut into chunks. */
import { HubError } from './hub-error.ts'

export interface LineReader {
  feed(chunk: Buffer): void
  /** The end of the stream ends the last line. */
  end(): void
}

export interface LineReaderOptions {
  readonly maxBytes: number
  /** `line` is without its ending; `size` counts the ending too. */
  readonly onLine: (line: Buffer, size: number) => void
  /** Called as soon as a line exceeds the limit. The rest of the line is skipped. */
  readonly onTooLong?: () => void
  /** Called at the end of a line that exceeded the limit, with its first and its last bytes. */
  readonly onSkipped?: (head: string, tail: string) => void
  /** Asked before more than a megabyte of one line is kept. False: the line is skipped, as if it were too long. */
  readonly mayKeep?: (bytes: number) => boolean
}

const newline = 0x0a
const carriageReturn = 0x0d
const smallestBuffer = 64 * 1024
/** A larger buffer is freed after its line, since most lines are short. */
const keptBuffer = 1024 * 1024
/** Kept of either end of a line that is too long. */
const endBytes = 512

export function createLineReader({ maxBytes, onLine, onTooLong, onSkipped, mayKeep }: LineReaderOptions): LineReader {
  // Doubles as it grows. A list of chunks would take a hundred bytes per byte if the bytes arrived one by one.
  let buffer = Buffer.alloc(0)
  let size = 0
  let skipped: { readonly head: string; tail: Buffer } | undefined

  function append(part: Buffer): void {
    if (skipped) {
      skipped.tail = Buffer.concat([skipped.tail, part.subarray(-endBytes)]).subarray(-endBytes)
    } else if (size + part.length > maxBytes || !hasRoomFor(size + part.length)) {
      const start = size > 0 ? buffer.subarray(0, size) : part
      skipped = { head: start.toString('utf8', 0, endBytes), tail: Buffer.from(part.subarray(-endBytes)) }
      size = 0
      buffer = Buffer.alloc(0)
      onTooLong?.()
    } else {
      if (size + part.length > buffer.length) grow(size + part.length)
      part.copy(buffer, size)
      size += part.length
    }
  }

  function hasRoomFor(needed: number): boolean {
    return needed <= buffer.length || needed <= keptBuffer || (mayKeep?.(sizeFor(needed)) ?? true)
  }

  function sizeFor(needed: number): number {
    return Math.max(smallestBuffer, buffer.length * 2, needed)
  }

  function grow(needed: number): void {
    const larger = Buffer.allocUnsafe(sizeFor(needed))
    buffer.copy(larger, 0, 0, size)
    buffer = larger
  }

  function finish(): void {
    const line = buffer.subarray(0, size)
    const isLarge = buffer.length > keptBuffer
    const last = skipped
    const length = size
    skipped = undefined
    size = 0
    // A large buffer is not used again, so its line need not be copied.
    if (isLarge) buffer = Buffer.alloc(0)
    if (last) onSkipped?.(last.head, last.tail.toString('utf8'))
    else onLine(withoutReturn(isLarge ? line : Buffer.from(line)), length + 1)
  }

  return {
    feed(chunk) {
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const part = chunk.subarray(start, end)
        start = end + 1
        // Most lines come in one piece and are not copied.
        if (size === 0 && !skipped && part.length <= maxBytes) {
          onLine(withoutReturn(part), part.length + 1)
        } else {
          append(part)
          finish()
        }
      }
      if (start < chunk.length) append(chunk.subarray(start))
    },
    end() {
      if (size > 0 || skipped) finish()
    },
  }
}

/** Reads only as fast as the consumer takes the lines. Throws when a line is too long. */
export async function* linesOf(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  const lines: Buffer[] = []
  let isTooLong = false
  const reader = createLineReader({
    maxBytes,
    onLine(line) {
      if (!isTooLong) lines.push(line)
    },
    onTooLong: () => (isTooLong = true),
  })
  for await (const chunk of source) {
    reader.feed(chunk)
    yield* lines.splice(0)
    if (isTooLong) {
      const why = `A line is longer than ${maxBytes} bytes (setting max_body_bytes). Send less at once.`
      throw new HubError('too-large', why)
    }
  }
  reader.end()
  yield* lines
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
}
