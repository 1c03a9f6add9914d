/** Output from any offset: the newest from memory, older output from the journal, with a count of lost bytes. */
import { readJournal } from './journal.ts'
import type { OutputTail } from './output-tail.ts'

export interface Output {
  /** The offset of `bytes`. */
  readonly offset: number
  /** Empty if there is no output after `since` yet. */
  readonly bytes: Buffer
  /** How many bytes from `since` are gone: dropped with old segments, or lost on a full disk. */
  readonly droppedBytes: number
}

export function readOutput(journal: string, tail: OutputTail, since: number, maxBytes: number): Output {
  if (since >= tail.start) return { offset: since, bytes: tail.read(since, maxBytes), droppedBytes: 0 }
  const kept = readJournal(journal, since, maxBytes)
  const isInMemory = kept.bytes.length === 0 || kept.offset > tail.start
  const { offset, bytes } = isInMemory ? { offset: tail.start, bytes: tail.read(tail.start, maxBytes) } : kept
  return { offset, bytes, droppedBytes: offset - since }
}
