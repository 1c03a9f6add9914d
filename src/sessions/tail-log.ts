/** The end of what a session printed: the lines its terminal shows, or the bytes as they came. */
import type { Terminal } from '../terminal/terminal.ts'

export interface LogTail {
  readonly log: string
  readonly lines: number
  readonly offset: number
}

const pieceBytes = 64 * 1024
/** Escape codes take six times their room in JSON, and answers are given twice. */
const maxRawBytes = 1024 * 1024

export async function tailLog(terminal: Terminal, count: number, isRaw: boolean): Promise<LogTail> {
  await terminal.screen.settled()
  const { offset } = terminal
  const lines = isRaw ? rawLines(terminal, offset, count) : await shownLines(terminal, count)
  return { log: lines.join(isRaw ? '' : '\n'), lines: lines.length, offset }
}

interface Row {
  readonly text: string
  /** With the blanks at its end, which count where the next row goes on. */
  readonly printedText?: string
  readonly isWrapped: boolean
}

/** From the journal only where the screen has not enough: what it keeps hot is read in one moment, and cheap. */
async function shownLines(terminal: Terminal, count: number): Promise<readonly string[]> {
  const { screen } = terminal
  const hot = lastLines([...screen.scrollback(), ...screen.rows()], count)
  if (hot.length >= count || !screen.hasOlderLines) return hot
  const history = await terminal.history()
  const older = await history.lines(Math.max(0, history.total - count), count)
  return lastLines([...older, ...screen.rows()], count)
}

/** Rows that were wrapped are one line, blank ones at the end are none. */
function lastLines(rows: readonly Row[], count: number): readonly string[] {
  const lines: string[] = []
  let rest: string | undefined
  for (const row of rows.toReversed()) {
    if (lines.length === count) break
    const text: string = rest === undefined ? row.text : (row.printedText ?? row.text) + rest
    rest = row.isWrapped ? text : undefined
    if (!row.isWrapped && (text !== '' || lines.length > 0)) lines.push(text)
  }
  // The beginning of this one is not kept any more.
  if (rest !== undefined && lines.length < count) lines.push(rest)
  return lines.toReversed()
}

/** Each with its end. */
function rawLines(terminal: Terminal, end: number, count: number): readonly string[] {
  const { firstOffset } = terminal
  const pieces: Buffer[] = []
  let start = end
  let length = 0
  let lineBreaks = 0
  while (start > firstOffset && lineBreaks <= count && length < maxRawBytes) {
    const from = Math.max(firstOffset, start - pieceBytes)
    const piece = readRange(terminal, from, start)
    length += piece.length
    lineBreaks += piece.filter((byte) => byte === 0x0a).length
    pieces.unshift(piece)
    start = piece.length > 0 ? from : startOfGap(terminal, start)
  }
  const text = decode(Buffer.concat(pieces), start > 0)
  return text.match(/[^\n]*\n|[^\n]+$/g)?.slice(-count) ?? []
}

/** Whatever is kept of it: a journal answers up to the end of a segment, and has gaps where the disk was full. */
function readRange(terminal: Terminal, from: number, to: number): Buffer {
  const parts: Buffer[] = []
  for (let at = from; at < to;) {
    const { offset, bytes } = terminal.readOutput(at, to - at)
    if (bytes.length === 0 || offset >= to) break
    parts.push(bytes.subarray(0, to - offset))
    at = offset + bytes.length
  }
  return Buffer.concat(parts)
}

/** Of what was lost up to `end`. It may be more than anybody wants to go through piece by piece. */
function startOfGap(terminal: Terminal, end: number): number {
  let low = terminal.firstOffset
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { offset, bytes } = terminal.readOutput(middle, 1)
    if (bytes.length > 0 && offset < end) low = offset + 1
    else high = middle
  }
  return low
}

/** Without the halves of characters at its ends: the one was cut off, the other is not there yet. */
function decode(bytes: Buffer, isCut: boolean): string {
  const isInside = (byte: number) => (byte & 0xc0) === 0x80
  const start = isCut ? bytes.subarray(0, 4).findIndex((byte) => !isInside(byte)) : 0
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(Math.max(0, start)), { stream: true })
}
