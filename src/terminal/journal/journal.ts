/** Reads a journal: output bytes from any offset that is still kept, the indexes, and recorded input. */
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry, RecordedInput } from './journal-files.ts'
import { boundedSize } from '../pty/size.ts'
import { indexName, inputName, listInputs, listSegments, segmentName } from './journal-files.ts'

/** More than the first line of an index has. */
const firstLineBytes = 512

export interface JournalSlice {
  /** The offset of `bytes`: later than requested if output before it was dropped or lost. */
  readonly offset: number
  readonly bytes: Buffer
}

/** At most `maxBytes` from `from`; empty if there is nothing more. */
export function readJournal(directory: string, from: number, maxBytes: number): JournalSlice {
  for (;;) {
    const starts = listSegments(directory)
    // The segment that contains `from` and, if it ends before that offset, the next one.
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

/** The index entries of a segment, of these kinds. */
export function readIndex<Kind extends JournalEntry['is']>(
  directory: string,
  start: number,
  kinds: readonly Kind[],
): readonly Entry<Kind>[] {
  const beginnings = kinds.map((kind) => `{"is":"${kind}"`)
  // Most lines are times of output, which few callers want.
  const wanted = linesOf(join(directory, indexName(start))).filter((line) =>
    beginnings.some((beginning) => line.startsWith(beginning)),
  )
  return (parseLines(wanted) as readonly Entry<Kind>[]).flatMap(checkEntry)
}

/** Skips an entry that no holder writes. */
function checkEntry<Some extends JournalEntry>(entry: Some): readonly Some[] {
  const isDated = Number.isFinite(entry.at) && (entry.is === 'exit' || Number.isSafeInteger(entry.offset))
  if (!isDated) return []
  const hasSize = ['begin', 'resize'].includes(entry.is)
  if (!hasSize) return [entry]
  try {
    return [{ ...entry, ...boundedSize(entry) }]
  } catch {
    return []
  }
}

/** The index entries from the segment that contains `from`. */
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

/** When a segment begins, without reading its whole index. `undefined`: it was dropped. */
export function segmentBegin(directory: string, start: number): number | undefined {
  let file: number
  try {
    file = openSync(join(directory, indexName(start)), 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const bytes = Buffer.alloc(firstLineBytes)
    const [line = ''] = bytes.toString('utf8', 0, readSync(file, bytes, 0, firstLineBytes, 0)).split('\n')
    const [entry] = parseLines([line]) as readonly JournalEntry[]
    return entry?.at
  } finally {
    closeSync(file)
  }
}

/** The recorded input after a sequence number, as far as it is kept. */
export function* readInputs(directory: string, after: number): Generator<RecordedInput, void> {
  const firsts = listInputs(directory)
  const start = Math.max(
    0,
    firsts.findLastIndex((first) => first <= after + 1),
  )
  for (const first of firsts.slice(start)) {
    yield* inputsOf(directory, first).filter(({ sequence }) => sequence > after)
  }
}

/** 0: there is none. */
export function lastInputSequence(directory: string): number {
  const newest = listInputs(directory).at(-1)
  if (newest === undefined) return 0
  return inputsOf(directory, newest).at(-1)?.sequence ?? newest - 1
}

function inputsOf(directory: string, first: number): readonly RecordedInput[] {
  return parseLines(linesOf(join(directory, inputName(first)))) as readonly RecordedInput[]
}

/** Skips an incomplete line from a crash. */
function parseLines(lines: readonly string[]): readonly unknown[] {
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
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
