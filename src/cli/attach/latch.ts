/** A flag that one reader can wait for. It stays set until the reader clears it, so that a busy reader does not miss it. */
export interface Latch {
  set(): void
  clear(): void
  /** Resolves at once if the latch is set. A later call replaces an earlier one, whose promise then never resolves. */
  whenSet(): Promise<void>
}

export function createLatch(): Latch {
  let isSet = false
  let wake: (() => void) | undefined
  return {
    set() {
      isSet = true
      wake?.()
    },
    clear() {
      isSet = false
    },
    whenSet: () =>
      new Promise((resolve) => {
        wake = resolve
        if (isSet) resolve()
      }),
  }
}
