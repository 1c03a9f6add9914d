/**
 * Writes the output of a program on pipes to its journal without loss. While the disk is full, or while the journal is
 * full of output that the hub has not processed, the program is paused.
 */
import type { JournalWriter } from '../journal/journal-writer.ts'
import type { PipedChild } from './pipes.ts'

export interface OutputRecorder {
  record(bytes: Buffer): void
  /** Tries again, since there may be space now. */
  retryNow(): void
}

export interface OutputRecorderOptions {
  readonly journal: JournalWriter
  readonly child: () => Pick<PipedChild, 'pause' | 'resume'>
  /** Called for output that is in the journal. */
  readonly onRecorded: (offset: number, bytes: Buffer) => void
  readonly onDiskFull: (isFull: boolean) => void
}

const retryMs = 250

export function createOutputRecorder({
  journal,
  child,
  onRecorded,
  onDiskFull,
}: OutputRecorderOptions): OutputRecorder {
  let rest: Buffer = Buffer.alloc(0)
  let isPaused = false
  let retry: NodeJS.Timeout | undefined

  function retryNow(): void {
    while (rest.length > 0 && !journal.isFull) {
      const { offset } = journal
      const count = journal.appendSome(rest)
      if (count > 0) onRecorded(offset, rest.subarray(0, count))
      rest = rest.subarray(count)
      updateDiskState(count === 0)
      if (count === 0) break
    }
    const mustWait = rest.length > 0 || journal.isFull
    if (mustWait === isPaused) return
    isPaused = mustWait
    if (mustWait) child().pause()
    else child().resume()
  }

  function updateDiskState(isFull: boolean): void {
    const wasFull = retry !== undefined
    clearTimeout(retry)
    retry = isFull ? setTimeout(retryNow, retryMs) : undefined
    if (isFull !== wasFull) onDiskFull(isFull)
  }

  return {
    record(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      retryNow()
    },
    retryNow,
  }
}
