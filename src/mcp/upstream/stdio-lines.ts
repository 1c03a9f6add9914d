/** Lines of bytes as they come in. One that is too long is told and left out; those behind it go on. */
const newline = 0x0a
const smallestBuffer = 64 * 1024
/** What a long line needed is not kept for the short ones that follow. */
const keptBuffer = 1024 * 1024

export interface LineReader {
  feed(chunk: Buffer): void
  /** Whoever ends the stream has ended the line too. */
  end(): void
}

export function createLineReader(options: {
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  readonly onTooLong: () => void
}): LineReader {
  const { maxBytes, onLine, onTooLong } = options
  // Grows by doubling: a list of chunks would cost a hundred bytes for each byte of somebody who writes them singly.
  let held = Buffer.alloc(0)
  let size = 0
  let isSkipping = false

  function hold(part: Buffer): void {
    if (isSkipping) return
    if (size + part.length > maxBytes) {
      isSkipping = true
      size = 0
      held = Buffer.alloc(0)
      return onTooLong()
    }
    if (size + part.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(smallestBuffer, held.length * 2, size + part.length))
      held.copy(larger, 0, 0, size)
      held = larger
    }
    part.copy(held, size)
    size += part.length
  }

  function finish(): void {
    const line = held.toString('utf8', 0, size)
    size = 0
    if (held.length > keptBuffer) held = Buffer.alloc(0)
    if (!isSkipping) tell(line)
    isSkipping = false
  }

  function tell(line: string): void {
    if (line !== '' && line !== '\r') onLine(line)
  }

  return {
    feed(chunk) {
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        // Most lines come in one piece, and are not copied.
        if (size === 0 && !isSkipping && end - start <= maxBytes) tell(chunk.toString('utf8', start, end))
        else {
          hold(chunk.subarray(start, end))
          finish()
        }
        start = end + 1
      }
      if (start < chunk.length) hold(chunk.subarray(start))
    },
    end() {
      if (size > 0) finish()
    },
  }
}
