/** Lines of bytes, read only as fast as they are taken. A longer one than allowed ends the reading. */
import { HubError } from './hub-error.ts'

const newline = 0x0a
const carriageReturn = 0x0d

export async function* linesOf(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = []
  let size = 0

  function take(part: Buffer): void {
    size += part.length
    if (size > maxBytes) {
      throw new HubError(
        'too-large',
        `A line is longer than ${maxBytes} bytes (setting max_body_bytes). Send less at once.`,
      )
    }
    parts.push(part)
  }

  function finish(): Buffer {
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = []
    size = 0
    return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
  }

  for await (const chunk of source) {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, end))
      start = end + 1
      yield finish()
    }
    if (start < chunk.length) take(chunk.subarray(start))
  }
  // Whoever ends the stream has ended the line too.
  if (size > 0) yield finish()
}
