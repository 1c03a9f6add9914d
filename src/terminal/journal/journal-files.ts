/**
 * The files of a journal. Every byte of output is in a segment file, named by the offset of its first byte. Each
 * segment has an index file of JSON lines: how much output there was at what time, resizes, lost output, and the end. A
 * segment is dropped together with its index, so neither grows without limit.
 *
 * A program on pipes also has input files of JSON lines, named by the sequence number of their first line. Each line
 * says at which output offset the input was written. Input does not count in the output offsets.
 */
import { readdirSync } from 'node:fs'
import type { Size } from '../pty/size.ts'

export type JournalEntry =
  /** First in each segment: the size at its beginning. */
  | ({ readonly is: 'begin'; readonly at: number; readonly offset: number } & Size)
  | { readonly is: 'output'; readonly at: number; readonly offset: number }
  | ({ readonly is: 'resize'; readonly at: number; readonly offset: number } & Size)
  /** The disk did not take these bytes. */
  | { readonly is: 'lost'; readonly at: number; readonly offset: number; readonly bytes: number }
  | ({ readonly is: 'exit'; readonly at: number } & Exit)

export interface Exit {
  readonly offset: number
  readonly code: number | null
  readonly signal: string | null
  /** Set if neither code nor signal explains the end. */
  readonly reason?: string
  /** The program was released and continues in tmux. */
  readonly isReleased?: boolean
}

/** One line of recorded input. */
export interface RecordedInput {
  readonly sequence: number
  readonly at: number
  /** How much output was in the journal when the input was recorded. */
  readonly offset: number
  readonly bytes: number
  /** Missing for a login or a key. */
  readonly text?: string
}

/** Inside the folder of a program. */
export const journalFolder = 'journal'

export function segmentName(offset: number): string {
  return `${String(offset).padStart(16, '0')}.raw`
}

export function indexName(offset: number): string {
  return `${String(offset).padStart(16, '0')}.ndjson`
}

export function inputName(sequence: number): string {
  return `${String(sequence).padStart(16, '0')}.input`
}

/** The offsets of the segments, oldest first; empty without a journal. */
export function listSegments(directory: string): readonly number[] {
  return numbersOf(directory, /^\d{16}\.raw$/)
}

/** The first sequence number of each input file, oldest first. */
export function listInputs(directory: string): readonly number[] {
  return numbersOf(directory, /^\d{16}\.input$/)
}

function numbersOf(directory: string, pattern: RegExp): readonly number[] {
  return namesIn(directory)
    .filter((name) => pattern.test(name))
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
