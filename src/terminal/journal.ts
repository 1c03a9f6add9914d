/** Reading a journal: bytes from any offset that is still kept, and the index beside them. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry } from './holder/journal-writer.ts'
import { indexFile, listSegments, segmentName, segmentSize } from './holder/journal-writer.ts'

export interface JournalSlice {
  /** Where `bytes` begin: later than asked for when what lies before was dropped or lost. */
  readonly offset: number
  readonly bytes: Buffer
}

/** At most `maxBytes` from `from` on; empty when there is nothing more. */
export function readJournal(directory: string, from: number, maxBytes: number): JournalSlice {
  const segments = listSegments(directory)
  for (const [index, start] of segments.entries()) {
    const end = start + segmentSize(directory, start)
    const isLast = index === segments.length - 1
    if (from >= end && !isLast) continue
    const offset = Math.max(from, start)
    return { offset, bytes: readSegment(directory, start, offset, Math.min(maxBytes, end - offset)) }
  }
  return { offset: from, bytes: Buffer.alloc(0) }
}

export function journalBounds(directory: string): { readonly firstOffset: number; readonly offset: number } {
  const segments = listSegments(directory)
  const last = segments.at(-1) ?? 0
  return { firstOffset: segments[0] ?? 0, offset: last + segmentSize(directory, last) }
}

/** A line torn by a crash is passed over. */
export function readIndex(directory: string): readonly JournalEntry[] {
  return readFileSync(join(directory, indexFile), 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as JournalEntry]
      } catch {
        return []
      }
    })
}

function readSegment(directory: string, start: number, offset: number, length: number): Buffer {
  if (length <= 0) return Buffer.alloc(0)
  const file = openSync(join(directory, segmentName(start)), 'r')
  try {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset - start))
  } finally {
    closeSync(file)
  }
}
