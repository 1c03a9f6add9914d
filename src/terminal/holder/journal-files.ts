/**
 * How a journal lies on disk: every byte the program wrote, in segments named by the offset of their first byte, and
 * beside each segment an index of lines: when how much was there, when the size changed, what was lost, how it ended.
 * A segment that is dropped takes its index along, so that neither grows without end.
 */
import { readdirSync } from 'node:fs'
import type { Exit, Size } from './frames.ts'

export type JournalEntry =
  /** First in each segment: the size that holds as it begins. */
  | ({ readonly is: 'begin'; readonly at: number; readonly offset: number } & Size)
  | { readonly is: 'output'; readonly at: number; readonly offset: number }
  | ({ readonly is: 'resize'; readonly at: number; readonly offset: number } & Size)
  /** The disk did not take these bytes. */
  | { readonly is: 'lost'; readonly at: number; readonly offset: number; readonly bytes: number }
  | ({ readonly is: 'exit'; readonly at: number } & Exit)

/** Within a terminal's own folder. */
export const journalFolder = 'journal'

export function segmentName(offset: number): string {
  return `${String(offset).padStart(16, '0')}.raw`
}

export function indexName(offset: number): string {
  return `${String(offset).padStart(16, '0')}.ndjson`
}

/** The offsets of the segments, oldest first; none if there is no journal. */
export function listSegments(directory: string): readonly number[] {
  return namesIn(directory)
    .filter((name) => /^\d{16}\.raw$/.test(name))
    .map((name) => Number(name.slice(0, 16)))
    .sort((a, b) => a - b)
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
