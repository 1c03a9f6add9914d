/** Lines of bytes as they come in. One that is too long is told and left out; those behind it go on. */
const newline = 0x0a
const smallestBuffer = 64 * 1024
/** What a long line needed is not kept for the short ones that follow. */
const keptBuffer = 1024 * 1024
/** Of a line that is too long so much is kept, at either end. */
const endBytes = 512

export interface LineReader {
  feed(chunk: Buffer): void
  /** Whoever ends the stream has ended the line too. */
  end(): void
}

export function createLineReader(options: {
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  /** Told at its end, with the first and the last of it. */
  readonly onTooLong: (head: string, tail: string) => void
}): LineReader {
  const { maxBytes, onLine, onTooLong } = options
  // Grows by doubling: a list of chunks would cost a hundred bytes for each byte of somebody who writes them singly.
  let held = Buffer.alloc(0)
  let size = 0
  let isSkipping = false
  let head = ''
  let tail: Buffer = Buffer.alloc(0)

  function hold(part: Buffer): void {
    if (isSkipping) {
      tail = Buffer.concat([tail, part]).subarray(-endBytes)
      return
    }
    if (size + part.length > maxBytes) {
      isSkipping = true
      const start = size > 0 ? held.subarray(0, size) : part
      head = start.toString('utf8', 0, endBytes)
      tail = Buffer.from(part.subarray(-endBytes))
      size = 0
      held = Buffer.alloc(0)
      return
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
    if (isSkipping) onTooLong(head, tail.toString('utf8'))
    else tell(line)
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
      if (size > 0 || isSkipping) finish()
    },
  }
}
