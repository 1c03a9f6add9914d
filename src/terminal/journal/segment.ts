/** One segment of a journal that is being written, with its index. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalEntry } from './journal-files.ts'
import { indexName, segmentName } from './journal-files.ts'

export interface Segment {
  /** The offset of its first byte. */
  readonly start: number
  readonly bytes: number
  /** The size on disk, with its index. */
  readonly size: number
  /** Returns how many bytes the disk took: all, or fewer if it is full. */
  write(bytes: Buffer): number
  /** Adds an index entry. False: the disk did not take it. */
  addEntry(entry: JournalEntry): boolean
  close(): void
}

/** Throws if the disk has no space for the files. */
export function openSegment(directory: string, start: number): Segment {
  const path = join(directory, segmentName(start))
  const file = openSync(path, 'a', 0o600)
  const index = openIndex()
  let written = 0
  let indexed = 0
  /** An index line was cut short, so the next one must start on a new line. */
  let isTorn = false

  function openIndex(): number {
    try {
      return openSync(join(directory, indexName(start)), 'a', 0o600)
    } catch (error) {
      closeSync(file)
      rmSync(path, { force: true })
      throw error
    }
  }

  return {
    start,
    get bytes() {
      return written
    },
    get size() {
      return written + indexed
    },
    write(bytes) {
      const count = writeAll(file, bytes)
      written += count
      return count
    },
    addEntry(entry) {
      const line = Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify(entry)}\n`)
      const count = writeAll(index, line)
      indexed += count
      if (count > 0) isTorn = count < line.length
      return count === line.length
    },
    close() {
      closeSync(file)
      closeSync(index)
    },
  }
}

export function removeSegment(directory: string, start: number): void {
  for (const name of [segmentName(start), indexName(start)]) rmSync(join(directory, name), { force: true })
}

function writeAll(file: number, bytes: Buffer): number {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written)
  } catch {
    // On any error the caller can only continue. The result tells it how much was written.
  }
  return written
}
