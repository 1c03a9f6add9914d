/** The end of what a session printed: the lines its terminal shows, or the bytes as they came. */
import type { Terminal } from '../terminal/terminal.ts'

export interface LogTail {
  readonly log: string
  readonly lines: number
  readonly offset: number
}

const pieceBytes = 64 * 1024
const maxRawBytes = 8 * 1024 * 1024

export async function tailLog(terminal: Terminal, lines: number, isRaw: boolean): Promise<LogTail> {
  const kept = isRaw ? rawLines(terminal, lines) : await shownLines(terminal, lines)
  return { log: kept.join('\n'), lines: kept.length, offset: terminal.offset }
}

/** Lines that were wrapped are one, blank ones at the end are none. */
async function shownLines(terminal: Terminal, count: number): Promise<readonly string[]> {
  const history = await terminal.history()
  const older = await history.lines(Math.max(0, history.total - count), count)
  const lines: string[] = []
  for (const { text, isWrapped } of [...older, ...terminal.screen.rows()]) {
    if (isWrapped && lines.length > 0) lines[lines.length - 1] += text
    else lines.push(text)
  }
  while (lines.at(-1) === '') lines.pop()
  return lines.slice(-count)
}

function rawLines(terminal: Terminal, count: number): readonly string[] {
  const { offset: end, firstOffset } = terminal
  let bytes: Buffer = Buffer.alloc(0)
  let start = end
  let lineBreaks = 0
  while (start > firstOffset && lineBreaks <= count && end - start < maxRawBytes) {
    const from = Math.max(firstOffset, start - pieceBytes)
    const piece = terminal.readOutput(from, start - from)
    if (piece.bytes.length === 0) break
    lineBreaks += piece.bytes.filter((byte) => byte === 0x0a).length
    bytes = Buffer.concat([piece.bytes, bytes])
    start = from
  }
  return bytes
    .toString('utf8')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .slice(-count)
}
