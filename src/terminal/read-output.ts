/** Output from any offset: the newest from memory, older from the journal, and what is gone is told. */
import { readJournal } from './journal.ts'
import type { OutputTail } from './output-tail.ts'

export interface Output {
  /** Where `bytes` begin. */
  readonly offset: number
  /** Empty when there is nothing behind `since` yet. */
  readonly bytes: Buffer
  /** So many bytes from `since` on are gone: dropped with old segments, or lost to a full disk. */
  readonly droppedBytes: number
}

export function readOutput(journal: string, tail: OutputTail, since: number, maxBytes: number): Output {
  if (since >= tail.start) return { offset: since, bytes: tail.read(since, maxBytes), droppedBytes: 0 }
  const kept = readJournal(journal, since, maxBytes)
  const isAtHand = kept.bytes.length === 0 || kept.offset > tail.start
  const { offset, bytes } = isAtHand ? { offset: tail.start, bytes: tail.read(tail.start, maxBytes) } : kept
  return { offset, bytes, droppedBytes: offset - since }
}
