/**
 * Collects the items of one turn of the event loop and writes them together: one transaction for many writes.
 * If that fails, the items are written one by one, so that a bad item fails alone.
 */
export function createBatch<Item>(write: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let waiting: Waiting<Item>[] = []
  let isWriting = false

  async function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      await write(batch.map(({ item }) => item))
      for (const { done } of batch) done.resolve()
    } catch (error) {
      if (batch.length === 1) batch[0]?.done.reject(error)
      else for (const { item, done } of batch) await write([item]).then(done.resolve, done.reject)
    }
    if (waiting.length > 0) setImmediate(() => void flush())
    else isWriting = false
  }

  return (item) => {
    const done = Promise.withResolvers<void>()
    waiting.push({ item, done })
    if (!isWriting) {
      isWriting = true
      setImmediate(() => void flush())
    }
    return done.promise
  }
}

interface Waiting<Item> {
  readonly item: Item
  readonly done: PromiseWithResolvers<void>
}
