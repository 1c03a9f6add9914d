/**
 * Writes to a terminal without blocking. The PTY library waits in a loop for a program that does not read. If that
 * program waits in turn until its output is read, both wait for ever.
 */
import { writeSync } from 'node:fs'

export interface NonBlockingWriter {
  /** `onTaken` is called when the terminal has taken all bytes. */
  write(bytes: Buffer, onTaken?: () => void): void
  /** Stops writing, since the descriptor may soon belong to another file. */
  close(): void
}

interface Waiting {
  readonly bytes: Buffer
  readonly onTaken: (() => void) | undefined
  taken: number
}

/** Node can report when such a descriptor is readable, but not when it is writable. */
const retryMs = { first: 1, most: 64 }

/** The descriptor must be non-blocking. */
export function createNonBlockingWriter(descriptor: number): NonBlockingWriter {
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
