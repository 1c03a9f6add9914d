/** Collects distinct items and passes them on: the first at once, then, after each pause, all that were added since. */
export interface PacedSet<Item> extends Disposable {
  add(...items: readonly Item[]): void
}

/** `pauseMs` may depend on how long `take` took. `take` must not reject. */
export function createPacedSet<Item>(
  take: (items: readonly Item[]) => void | Promise<void>,
  pauseMs: (tookMs: number) => number,
): PacedSet<Item> {
  const waiting = new Set<Item>()
  let isBusy = false
  let isDisposed = false
  let timer: NodeJS.Timeout | undefined

  async function handOver(): Promise<void> {
    isBusy = true
    const items = [...waiting]
    waiting.clear()
    const begun = performance.now()
    await take(items)
    if (!isDisposed) timer = setTimeout(goOn, pauseMs(performance.now() - begun)).unref()
  }

  function goOn(): void {
    isBusy = false
    if (waiting.size > 0) void handOver()
  }

  return {
    add(...items) {
      for (const item of items) waiting.add(item)
      if (!isBusy && !isDisposed) void handOver()
    },
    [Symbol.dispose]() {
      isDisposed = true
      clearTimeout(timer)
    },
  }
}
