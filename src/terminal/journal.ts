/** Reading a journal: bytes from any offset that is still kept, and the index beside them. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry } from './holder/journal-files.ts'
import { indexName, listSegments, segmentName } from './holder/journal-files.ts'

export interface JournalSlice {
  /** Where `bytes` begin: later than asked for when what lies before was dropped or lost. */
  readonly offset: number
  readonly bytes: Buffer
}

/** At most `maxBytes` from `from` on; empty when there is nothing more. */
export function readJournal(directory: string, from: number, maxBytes: number): JournalSlice {
  for (;;) {
    const starts = listSegments(directory)
    // The segment in which it stands and, if that has ended before, the one behind.
    const first = Math.max(
      0,
      starts.findLastIndex((start) => start <= from),
    )
    let isDropped = false
    for (const start of starts.slice(first, first + 2)) {
      const slice = readSegment(directory, start, from, maxBytes)
      if (slice && slice.bytes.length > 0) return slice
      isDropped ||= slice === undefined
    }
    if (!isDropped) return { offset: from, bytes: Buffer.alloc(0) }
  }
}

export function journalBounds(directory: string): { readonly firstOffset: number; readonly offset: number } {
  const starts = listSegments(directory)
  const last = starts.at(-1) ?? 0
  return { firstOffset: starts[0] ?? 0, offset: last + segmentSize(directory, last) }
}

type Entry<Kind extends JournalEntry['is']> = Extract<JournalEntry, { is: Kind }>

/** What the index tells of a segment, of these kinds. A line torn by a crash is passed over. */
export function readIndex<Kind extends JournalEntry['is']>(
  directory: string,
  start: number,
  kinds: readonly Kind[],
): readonly Entry<Kind>[] {
  const beginnings = kinds.map((kind) => `{"is":"${kind}"`)
  return linesOf(join(directory, indexName(start))).flatMap((line) => {
    try {
      // Most lines date output, and few want those.
      return beginnings.some((beginning) => line.startsWith(beginning)) ? [JSON.parse(line) as Entry<Kind>] : []
    } catch {
      return []
    }
  })
}

/** What the indexes tell, from the segment on in which `from` stands. */
export function readIndexes<Kind extends JournalEntry['is']>(
  directory: string,
  { from = 0, kinds }: { readonly from?: number; readonly kinds: readonly Kind[] },
): readonly Entry<Kind>[] {
  const starts = listSegments(directory)
  const first = Math.max(
    0,
    starts.findLastIndex((start) => start <= from),
  )
  return starts.slice(first).flatMap((start) => readIndex(directory, start, kinds))
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function segmentSize(directory: string, start: number): number {
  return statSync(join(directory, segmentName(start)), { throwIfNoEntry: false })?.size ?? 0
}

/** `undefined`: it was dropped meanwhile. */
function readSegment(directory: string, start: number, from: number, maxBytes: number): JournalSlice | undefined {
  const offset = Math.max(from, start)
  let file: number
  try {
    file = openSync(join(directory, segmentName(start)), 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const length = Math.min(maxBytes, Math.max(0, start + fstatSync(file).size - offset))
    const bytes = Buffer.allocUnsafe(length)
    return { offset, bytes: bytes.subarray(0, readSync(file, bytes, 0, length, offset - start)) }
  } finally {
    closeSync(file)
  }
}
