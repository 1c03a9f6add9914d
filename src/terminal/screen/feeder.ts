/**
 * Does work in order: at once while there is time, and in slices of a few milliseconds when there is more. So a
 * terminal that prints without end does not delay the others.
 */
export interface Feeder extends Disposable {
  /** `take` gets all bytes in order, in pieces. Resolves after the last piece. */
  feed(bytes: Buffer, take: (piece: Buffer) => void): Promise<void>
  run(action: () => void): Promise<void>
  /** Does all remaining work at once. */
  flush(): void
}

const sliceMs = 5
const pieceBytes = 32 * 1024

interface Work {
  /** Does a part of the work. Returns whether it is done. */
  step(): boolean
  done(): void
}

export function createFeeder(): Feeder {
  let queue: Work[] = []
  let isScheduled = false

  function work(): void {
    isScheduled = false
    if (!workUntil(performance.now() + sliceMs)) schedule()
  }

  /** Returns whether all work is done. */
  function workUntil(end: number): boolean {
    for (let next = queue[0]; next; next = queue[0]) {
      if (performance.now() > end) return false
      if (!next.step()) continue
      queue.shift()
      next.done()
    }
    return true
  }

  function schedule(): void {
    isScheduled = true
    setImmediate(work)
  }

  function add(step: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      queue.push({ step, done: resolve })
      if (!isScheduled && queue.length === 1) work()
    })
  }

  return {
    feed(bytes, take) {
      let taken = 0
      return add(() => {
        take(bytes.subarray(taken, taken + pieceBytes))
        taken += pieceBytes
        return taken >= bytes.length
      })
    },
    run: (action) =>
      add(() => {
        action()
        return true
      }),
    flush: () => void workUntil(Number.POSITIVE_INFINITY),
    [Symbol.dispose]() {
      // Resolve, so that no caller waits for work that is not done.
      for (const { done } of queue) done()
      queue = []
    },
  }
}
