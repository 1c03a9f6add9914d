/**
 * Writes the journal of a program. A full disk does not stop `append`: bytes that the disk does not take are counted as
 * lost, and a new segment starts after the gap as soon as there is space. A caller that can wait uses `appendSome`,
 * which loses nothing.
 */
import { mkdirSync } from 'node:fs'
import type { Size } from '../pty/size.ts'
import type { Exit } from './journal-files.ts'
import type { Segment } from './segment.ts'
import { openSegment, removeSegment } from './segment.ts'

export interface JournalWriter {
  readonly firstOffset: number
  readonly offset: number
  /** The total number of bytes that the disk did not take. */
  readonly lostBytes: number
  /** The limit is reached, and nothing may be dropped; see `keepFrom`. */
  readonly isFull: boolean
  /** On disk when it returns, also if the process is killed then. False: the disk did not take all of it. */
  append(bytes: Buffer): boolean
  /** Returns how many of the bytes are on disk. The rest is not lost: the caller tries again later. */
  appendSome(bytes: Buffer): number
  /** Output from this offset on is never dropped. */
  keepFrom(offset: number): void
  recordResize(size: Size): void
  recordExit(exit: Exit): void
  close(): void
}

export interface JournalLimits {
  /** A new segment starts beyond this size. */
  readonly segmentBytes: number
  /** The oldest segments are dropped beyond this size. */
  readonly maxBytes: number
}

const largestSegmentBytes = 8 * 1024 * 1024

/** Whole segments are dropped, so small segments keep the total close to the limit. */
export function journalLimits(maxBytes: number): JournalLimits {
  return { segmentBytes: Math.min(largestSegmentBytes, Math.floor(maxBytes / 32)), maxBytes }
}

export interface JournalWriterOptions {
  readonly directory: string
  readonly limits: JournalLimits
  readonly size: Size
  /** Output from this offset on is never dropped. Without it, the oldest output is dropped at the limit. */
  readonly keepFrom?: number
  readonly now?: () => number
}

/** The index gets the time of output at most this often. Recordings need no finer resolution. */
const indexEveryMs = 20
/** A full disk is retried at most this often. */
const retryMs = 250

export function openJournalWriter({
  directory,
  limits,
  now = Date.now,
  ...options
}: JournalWriterOptions): JournalWriter {
  const closed: { readonly start: number; readonly size: number }[] = []
  let segment: Segment | undefined
  let { size, keepFrom = Number.POSITIVE_INFINITY } = options
  let offset = 0
  let datedAt = 0
  let retryAt = 0
  let lostBytes = 0
  /** The start of the gap before the next segment. */
  let lostFrom: number | undefined

  function begin(at: number): void {
    if (at < retryAt) return
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      segment = openSegment(directory, offset)
    } catch {
      retryAt = at + retryMs
      return
    }
    segment.addEntry({ is: 'begin', at, offset, ...size })
    dropOldest()
  }

  function dropOldest(): void {
    while (isOverLimit() && !mustKeepOldest()) removeSegment(directory, closed.shift()!.start)
  }

  function isOverLimit(): boolean {
    const total = closed.reduce((sum, each) => sum + each.size, 0)
    return closed.length > 0 && total > limits.maxBytes - limits.segmentBytes
  }

  function mustKeepOldest(): boolean {
    return (closed[1]?.start ?? segment?.start ?? offset) > keepFrom
  }

  function end(): void {
    if (!segment) return
    const { start, bytes, size: onDisk } = segment
    segment.close()
    segment = undefined
    if (bytes > 0) closed.push({ start, size: onDisk })
    else removeSegment(directory, start)
  }

  function lose(at: number, bytes: number): void {
    lostFrom ??= offset - bytes
    lostBytes += bytes
    if (!segment) return
    retryAt = at + retryMs
    end()
  }

  function appendSome(bytes: Buffer, at: number): number {
    if (!segment) begin(at)
    if (segment && at - datedAt >= indexEveryMs) {
      datedAt = at
      segment.addEntry({ is: 'output', at, offset })
    }
    const written = segment?.write(bytes) ?? 0
    if (written > 0 && lostFrom !== undefined) {
      segment?.addEntry({ is: 'lost', at, offset: lostFrom, bytes: offset - lostFrom })
      lostFrom = undefined
    }
    offset += written
    return written
  }

  function endIfLong(at: number): void {
    if (!segment || segment.size < limits.segmentBytes) return
    end()
    begin(at)
  }

  begin(now())
  return {
    get firstOffset() {
      return closed[0]?.start ?? segment?.start ?? offset
    },
    get offset() {
      return offset
    },
    get lostBytes() {
      return lostBytes
    },
    get isFull() {
      return isOverLimit() && mustKeepOldest()
    },
    append(bytes) {
      const at = now()
      const written = appendSome(bytes, at)
      offset += bytes.length - written
      if (written < bytes.length) lose(at, bytes.length - written)
      endIfLong(at)
      return written === bytes.length
    },
    appendSome(bytes) {
      const at = now()
      const written = appendSome(bytes, at)
      endIfLong(at)
      return written
    },
    keepFrom(from) {
      keepFrom = from
      dropOldest()
    },
    recordResize(next) {
      // If the disk does not take it, the next segment starts with the new size.
      size = next
      segment?.addEntry({ is: 'resize', at: now(), offset, ...next })
    },
    recordExit(exit) {
      segment?.addEntry({ is: 'exit', at: now(), ...exit })
    },
    close: () => segment?.close(),
  }
}
