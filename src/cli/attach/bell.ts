/** Rings until it is silenced, so that nobody misses it who was busy. One listens at a time. */
export interface Bell {
  ring(): void
  silence(): void
  /** Resolves at once if it rings already. A promise that is no longer waited for is forgotten. */
  heard(): Promise<void>
}

export function createBell(): Bell {
  let isRinging = false
  let wake: (() => void) | undefined
  return {
    ring() {
      isRinging = true
      wake?.()
    },
    silence() {
      isRinging = false
    },
    heard: () =>
      new Promise((resolve) => {
        wake = resolve
        if (isRinging) resolve()
      }),
  }
}
