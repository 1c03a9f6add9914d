/**
 * Does the work of one screen in order: at once while there is time, and later when there is more. All screens share
 * the time, a few milliseconds in each turn of the event loop, so terminals that print without end delay neither the
 * others nor the rest of the hub.
 */
export interface Feeder extends Disposable {
  /** Each step does a part of the work, and returns whether it was the last. Resolves after that, or when dropped. */
  feed(step: () => boolean): Promise<void>
  run(action: () => void): Promise<void>
  /** Leaves out the steps that were fed and not done yet. */
  drop(): void
  /** Does all remaining work at once. */
  flush(): void
}

/** Of each turn of the event loop, for all screens together. */
const turnMs = 5
/** A screen with more work lets the others have their turn after this. */
const shareMs = 1

interface Work {
  readonly step: () => boolean
  readonly done: () => void
  readonly canDrop: boolean
}

interface Worker {
  readonly queue: Work[]
  /** How long it has worked, compared with the others that have work. */
  workedMs: number
}

const busy = new Set<Worker>()
let spentMs = 0
/** A worker that was idle starts here, so that it does not get the time it has not used. */
let startsAtMs = 0
let isScheduled = false

/** How many screens have work to do. */
export function busyFeeders(): number {
  return busy.size
}

export function createFeeder(): Feeder {
  const worker: Worker = { queue: [], workedMs: 0 }

  function add(step: () => boolean, canDrop: boolean): Promise<void> {
    return new Promise((resolve) => {
      worker.queue.push({ step, done: resolve, canDrop })
      if (worker.queue.length > 1) return
      busy.add(worker)
      worker.workedMs = Math.max(worker.workedMs, startsAtMs)
      if (spentMs < turnMs) work(worker, turnMs - spentMs)
      schedule()
    })
  }

  return {
    feed: (step) => add(step, true),
    run: (action) =>
      add(() => {
        action()
        return true
      }, false),
    drop() {
      const dropped = worker.queue.filter(({ canDrop }) => canDrop)
      keep(worker, ({ canDrop }) => !canDrop)
      for (const { done } of dropped) done()
    },
    flush: () => work(worker, Number.POSITIVE_INFINITY),
    [Symbol.dispose]() {
      const dropped = [...worker.queue]
      keep(worker, () => false)
      // Resolve, so that no caller waits for work that is not done.
      for (const { done } of dropped) done()
    },
  }
}

function keep(worker: Worker, isKept: (work: Work) => boolean): void {
  worker.queue.splice(0, worker.queue.length, ...worker.queue.filter(isKept))
  if (worker.queue.length === 0) busy.delete(worker)
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(takeTurn)
}

/** The screen that has worked least comes first, so a quiet one does not wait for those that print without end. */
function takeTurn(): void {
  isScheduled = false
  spentMs = 0
  while (spentMs < turnMs) {
    const next = leastWorked()
    if (!next) return
    startsAtMs = next.workedMs
    work(next, shareMs)
  }
  schedule()
}

function leastWorked(): Worker | undefined {
  let least: Worker | undefined
  for (const worker of busy) if (!least || worker.workedMs < least.workedMs) least = worker
  return least
}

/** Always does at least one step. */
function work(worker: Worker, maxMs: number): void {
  const { queue } = worker
  const began = performance.now()
  let now = began
  for (let next = queue[0]; next && now - began < maxMs; next = queue[0]) {
    if (next.step()) {
      // A step may have dropped the rest.
      if (queue[0] === next) queue.shift()
      next.done()
    }
    now = performance.now()
  }
  if (queue.length === 0) busy.delete(worker)
  spentMs += now - began
  worker.workedMs += now - began
}
