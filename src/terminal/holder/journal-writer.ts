/**
 * Writes the journal of a terminal. A full disk does not stop it: what the disk does not take is counted, and a new
 * segment begins behind the hole as soon as there is room again.
 */
import { mkdirSync } from 'node:fs'
import type { Exit, Size } from './frames.ts'
import type { Segment } from './segment.ts'
import { openSegment, removeSegment } from './segment.ts'

export interface JournalWriter {
  readonly firstOffset: number
  readonly offset: number
  /** What the disk did not take, all in all. */
  readonly lostBytes: number
  /** On disk when it returns, as far as a killed process is concerned. False: the disk did not take all of it. */
  append(bytes: Buffer): boolean
  noteResize(size: Size): void
  noteExit(exit: Exit): void
  close(): void
}

export interface JournalLimits {
  /** A new segment begins beyond this. */
  readonly segmentBytes: number
  /** The oldest segments go beyond this. */
  readonly maxBytes: number
}

const largestSegmentBytes = 8 * 1024 * 1024

/** Segments are dropped whole: the smaller they are, the nearer to the limit is what is kept. */
export function journalLimits(maxBytes: number): JournalLimits {
  return { segmentBytes: Math.min(largestSegmentBytes, Math.floor(maxBytes / 32)), maxBytes }
}

export interface JournalWriterOptions {
  readonly directory: string
  readonly limits: JournalLimits
  readonly size: Size
  readonly now?: () => number
}

/** Output is dated at most so often: a recording needs no finer grain. */
const indexEveryMs = 20
/** A full disk is tried again at most so often. */
const retryMs = 250

export function openJournalWriter({
  directory,
  limits,
  now = Date.now,
  ...options
}: JournalWriterOptions): JournalWriter {
  const closed: { readonly start: number; readonly size: number }[] = []
  let segment: Segment | undefined
  let { size } = options
  let offset = 0
  let datedAt = 0
  let retryAt = 0
  let lostBytes = 0
  /** Where the hole begins that the next segment will begin behind. */
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
    segment.note({ is: 'begin', at, offset, ...size })
    dropOldest()
  }

  function dropOldest(): void {
    let total = closed.reduce((sum, each) => sum + each.size, 0)
    while (closed.length > 0 && total > limits.maxBytes - limits.segmentBytes) {
      const { start, size: freed } = closed.shift()!
      removeSegment(directory, start)
      total -= freed
    }
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
    append(bytes) {
      const at = now()
      if (!segment) begin(at)
      if (segment && at - datedAt >= indexEveryMs) {
        datedAt = at
        segment.note({ is: 'output', at, offset })
      }
      const written = segment?.write(bytes) ?? 0
      if (written > 0 && lostFrom !== undefined) {
        segment?.note({ is: 'lost', at, offset: lostFrom, bytes: offset - lostFrom })
        lostFrom = undefined
      }
      offset += bytes.length
      if (written < bytes.length) lose(at, bytes.length - written)
      if (segment && segment.size >= limits.segmentBytes) {
        end()
        begin(at)
      }
      return written === bytes.length
    },
    noteResize(next) {
      // Where the disk does not take it, the next segment begins with it.
      size = next
      segment?.note({ is: 'resize', at: now(), offset, ...next })
    },
    noteExit(exit) {
      segment?.note({ is: 'exit', at: now(), ...exit })
    },
    close: () => segment?.close(),
  }
}
