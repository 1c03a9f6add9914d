/** The end of a session's output: the lines its terminal shows, or the raw bytes. */
import { HubError } from '../../base/hub-error.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { LogTail } from '../port/driver.ts'

/** For lines that are no longer in memory. */
const historyWithinMs = 1_000
const pieceBytes = 64 * 1024
/** In JSON, escape codes take six times their size, and an answer contains the text twice. */
const maxRawBytes = 1024 * 1024

export async function tailLog(terminal: Terminal, count: number, isRaw: boolean): Promise<LogTail> {
  await terminal.draw()
  await terminal.screen.settled()
  const { offset } = terminal
  const lines = isRaw ? rawLines(terminal, offset, count) : await shownLines(terminal, count)
  return { log: lines.join(isRaw ? '' : '\n'), lines: lines.length, offset }
}

/** What the screen and the memory have is better than an answer that comes late. */
function refusal(error: unknown): string {
  if (error instanceof HubError && error.code === 'busy') return error.message
  throw error
}

interface Row {
  readonly text: string
  /** With trailing blanks, which count if the line continues in the next row. */
  readonly printedText?: string
  readonly isWrapped: boolean
}

/** Reads the journal only if the screen has too few lines: those in memory are cheap and consistent. */
async function shownLines(terminal: Terminal, count: number): Promise<readonly string[]> {
  const { screen } = terminal
  const recent = lastLines([...screen.scrollback(), ...screen.rows()], count)
  if (recent.length >= count || !screen.hasOlderLines) return recent
  const history = await terminal.history({ withinMs: historyWithinMs }).catch(refusal)
  if (typeof history === 'string') return [`[${history}]`, ...recent]
  const older = await history.lines(Math.max(0, history.total - count), count)
  return lastLines([...older, ...screen.rows()], count)
}

/** Joins wrapped rows, and drops blank rows at the end. */
function lastLines(rows: readonly Row[], count: number): readonly string[] {
  const lines: string[] = []
  let rest: string | undefined
  for (const row of rows.toReversed()) {
    if (lines.length === count) break
    const text: string = rest === undefined ? row.text : (row.printedText ?? row.text) + rest
    rest = row.isWrapped ? text : undefined
    if (!row.isWrapped && (text !== '' || lines.length > 0)) lines.push(text)
  }
  // The beginning of this line is no longer kept.
  if (rest !== undefined && lines.length < count) lines.push(rest)
  return lines.toReversed()
}

/** Each line includes its line ending. */
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

/** The bytes that are kept: the journal answers up to the end of a segment, and has gaps from times of a full disk. */
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

/** Where the gap that ends at `end` starts. A binary search, since a gap may be too long to read piece by piece. */
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

/**
 * Drops incomplete characters at both ends: the first may be cut off, and the rest of the last may not be there yet.
 */
function decode(bytes: Buffer, isCut: boolean): string {
  const isInside = (byte: number) => (byte & 0xc0) === 0x80
  const start = isCut ? bytes.subarray(0, 4).findIndex((byte) => !isInside(byte)) : 0
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(Math.max(0, start)), { stream: true })
}
