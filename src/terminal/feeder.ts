/**
 * Does work in the order it came, at once while there is time, and in slices of a few milliseconds when there is more:
 * a terminal that prints without end does not hold up the others.
 */
export interface Feeder extends Disposable {
  /** `take` gets all bytes in order, in pieces; resolves after the last. */
  feed(bytes: Buffer, take: (piece: Buffer) => void): Promise<void>
  run(action: () => void): Promise<void>
}

const sliceMs = 5
const pieceBytes = 32 * 1024

interface Work {
  /** Does a part of it, and says whether that was all. */
  step(): boolean
  done(): void
}

export function createFeeder(): Feeder {
  let queue: Work[] = []
  let isScheduled = false

  function work(): void {
    isScheduled = false
    const until = performance.now() + sliceMs
    for (let next = queue[0]; next; next = queue[0]) {
      if (performance.now() > until) return schedule()
      if (!next.step()) continue
      queue.shift()
      next.done()
    }
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
    [Symbol.dispose]() {
      // Nobody waits for what will not be done.
      for (const { done } of queue) done()
      queue = []
    },
  }
}
