/**
 * The journal of a terminal: every byte the program wrote, in segments named by the offset of their first byte, and an
 * index of lines beside them: when how much was there, when the size changed, how it ended.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Exit, Size } from './frames.ts'

export interface JournalWriter {
  readonly firstOffset: number
  readonly offset: number
  /** On disk when it returns, as far as a killed process is concerned. False: the disk did not take it. */
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

export type JournalEntry =
  | { readonly at: number; readonly offset: number; readonly is: 'output' }
  | ({ readonly at: number; readonly offset: number; readonly is: 'resize' } & Size)
  | { readonly at: number; readonly offset: number; readonly is: 'dropped'; readonly firstOffset: number }
  | { readonly at: number; readonly offset: number; readonly is: 'lost'; readonly bytes: number }
  | ({ readonly at: number; readonly is: 'exit' } & Exit)

export const indexFile = 'index.ndjson'

/** Output is dated at most so often: a recording needs no finer grain. */
const indexEveryMs = 20

export function segmentName(offset: number): string {
  return `${String(offset).padStart(16, '0')}.raw`
}

/** The offsets of the segments in a journal, oldest first. */
export function listSegments(directory: string): readonly number[] {
  return readdirSync(directory)
    .filter((name) => /^\d{16}\.raw$/.test(name))
    .map((name) => Number(name.slice(0, 16)))
    .sort((a, b) => a - b)
}

export function openJournalWriter(directory: string, limits: JournalLimits, now: () => number = Date.now): JournalWriter {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const segments = [...listSegments(directory)]
  if (segments.length === 0) segments.push(0)
  let current = openSync(join(directory, segmentName(segments.at(-1)!)), 'a', 0o600)
  let offset = segments.at(-1)! + fstatSync(current).size
  const index = openSync(join(directory, indexFile), 'a', 0o600)
  let datedAt = 0

  function note(entry: JournalEntry): void {
    try {
      writeSync(index, `${JSON.stringify(entry)}\n`)
    } catch {
      // A full disk: the time of these bytes is lost, the bytes are not.
    }
  }

  function rotate(): void {
    closeSync(current)
    segments.push(offset)
    current = openSync(join(directory, segmentName(offset)), 'a', 0o600)
    while (segments.length > 1 && offset - segments[1]! >= limits.maxBytes - limits.segmentBytes) {
      rmSync(join(directory, segmentName(segments.shift()!)), { force: true })
      note({ at: now(), offset, is: 'dropped', firstOffset: segments[0]! })
    }
  }

  return {
    get firstOffset() {
      return segments[0]!
    },
    get offset() {
      return offset
    },
    append(bytes) {
      const at = now()
      if (at - datedAt >= indexEveryMs) {
        datedAt = at
        note({ at, offset, is: 'output' })
      }
      let written = 0
      try {
        while (written < bytes.length) written += writeSync(current, bytes, written)
      } catch {
        note({ at, offset: offset + written, is: 'lost', bytes: bytes.length - written })
      }
      offset += bytes.length
      // What the disk did not take leaves a hole: the next segment begins behind it.
      const isWhole = written === bytes.length
      if (!isWhole || offset - segments.at(-1)! >= limits.segmentBytes) rotate()
      return isWhole
    },
    noteResize: (size) => note({ at: now(), offset, is: 'resize', ...size }),
    noteExit: (exit) => note({ at: now(), is: 'exit', ...exit }),
    close() {
      closeSync(current)
      closeSync(index)
    },
  }
}

/** How many bytes a segment holds. */
export function segmentSize(directory: string, offset: number): number {
  return statSync(join(directory, segmentName(offset)), { throwIfNoEntry: false })?.size ?? 0
}
