/**
 * Understands what a tmux client in control mode says: answers to commands, in their order, between `%begin` and `%end`
 * or `%error`; and notices, of which `%output` carries what a pane's program wrote.
 */
export interface ControlEvents {
  /** `isOwn`: to a command that came over the client's standard input. */
  onAnswer(answer: ControlAnswer, isOwn: boolean): void
  onOutput(pane: string, bytes: Buffer): void
  /** Anything else that has changed; what it is can be asked. */
  onNotice(): void
}

export interface ControlAnswer {
  readonly isError: boolean
  readonly lines: readonly Buffer[]
}

const newline = 0x0a
const backslash = 0x5c
const space = 0x20
const outputStart = Buffer.from('%output ')
const beginStart = Buffer.from('%begin ')

export function createControlReader({ onAnswer, onOutput, onNotice }: ControlEvents): (chunk: Buffer) => void {
  /** Pieces of a line that has not ended. */
  let pieces: Buffer[] = []
  /** The answer that is being given: how its last line will look, behind `%end` or `%error`. */
  let answer: { readonly stamp: string; readonly lines: Buffer[] } | undefined

  function take(line: Buffer): void {
    if (answer) return takeAnswerLine(line, answer)
    if (startsWith(line, outputStart)) return takeOutput(line)
    if (startsWith(line, beginStart)) {
      answer = { stamp: line.subarray(beginStart.length).toString(), lines: [] }
      return
    }
    onNotice()
  }

  function takeAnswerLine(line: Buffer, { stamp, lines }: { stamp: string; lines: Buffer[] }): void {
    // What a pane shows may look like an end; the stamp of this one it cannot know.
    const text = line.length < 100 ? line.toString('latin1') : ''
    const isError = text === `%error ${stamp}`
    if (!isError && text !== `%end ${stamp}`) {
      lines.push(line)
      return
    }
    answer = undefined
    onAnswer({ isError, lines }, stamp.endsWith(' 1'))
  }

  function takeOutput(line: Buffer): void {
    const end = line.indexOf(space, outputStart.length)
    onOutput(line.toString('latin1', outputStart.length, end), unescapeOutput(line.subarray(end + 1)))
  }

  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const rest = chunk.subarray(start, end)
      const line = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest])
      pieces = []
      start = end + 1
      take(line)
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start))
  }
}

/** Control characters and the backslash come as `\ooo`, all other bytes as they are. */
export function unescapeOutput(escaped: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(escaped.length)
  let length = 0
  for (let at = 0; at < escaped.length; at++) {
    const byte = escaped[at]!
    if (byte === backslash) {
      bytes[length++] = (digit(escaped[at + 1]) << 6) | (digit(escaped[at + 2]) << 3) | digit(escaped[at + 3])
      at += 3
    } else {
      bytes[length++] = byte
    }
  }
  return bytes.subarray(0, length)
}

function digit(byte = 0x30): number {
  return byte - 0x30
}

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.length >= start.length && line.compare(start, 0, start.length, 0, start.length) === 0
}
