/**
 * Writes to a terminal that may not take it yet. The library's own way to write waits in a loop for a program that does
 * not read; if that program waits in turn for somebody to read what it prints, both do so for ever.
 */
import { writeSync } from 'node:fs'

export interface PatientWriter {
  /** `onTaken` is called when the terminal has all of them. */
  write(bytes: Buffer, onTaken?: () => void): void
  /** Nothing more is written: the descriptor may soon be another's. */
  close(): void
}

interface Waiting {
  readonly bytes: Buffer
  readonly onTaken: (() => void) | undefined
  taken: number
}

/** The system tells when such a descriptor can be read, but Node has no way to ask when it can be written. */
const retryMs = { first: 1, most: 64 }

/** The descriptor does not block. */
export function createPatientWriter(descriptor: number): PatientWriter {
  const queue: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  let waitMs: number = retryMs.first
  let isClosed = false

  function work(): void {
    timer = undefined
    for (let next = queue[0]; next; next = queue[0]) {
      const count = tryToWrite(next.bytes.subarray(next.taken))
      if (count === 'gone') return close()
      if (count === 0) {
        timer = setTimeout(work, waitMs)
        waitMs = Math.min(waitMs * 2, retryMs.most)
        return
      }
      waitMs = retryMs.first
      next.taken += count
      if (next.taken < next.bytes.length) continue
      queue.shift()
      next.onTaken?.()
    }
  }

  function tryToWrite(bytes: Buffer): number | 'gone' {
    try {
      return writeSync(descriptor, bytes)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : 'gone'
    }
  }

  function close(): void {
    isClosed = true
    queue.length = 0
    clearTimeout(timer)
  }

  return {
    write(bytes, onTaken) {
      if (isClosed || bytes.length === 0) return onTaken?.()
      queue.push({ bytes, onTaken, taken: 0 })
      if (!timer && queue.length === 1) work()
    },
    close,
  }
}
