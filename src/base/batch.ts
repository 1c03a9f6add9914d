/** Gathers what is given within one turn of the loop and hands it over in one piece: one transaction for many writes. */
export function createBatch<Item>(write: (items: readonly Item[]) => Promise<void>): (item: Item) => Promise<void> {
  let waiting: { item: Item; done: PromiseWithResolvers<void> }[] = []
  let isWriting = false

  async function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      await write(batch.map(({ item }) => item))
      for (const { done } of batch) done.resolve()
    } catch (error) {
      for (const { done } of batch) done.reject(error)
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
