/** The end of a request before its answer. Few are cancelled, so the signal is made only for those who ask for it. */
export interface Cancellation {
  readonly isCancelled: boolean
  /** What it was cancelled with, if anything was said. */
  readonly reason: unknown
  readonly signal: AbortSignal
  cancel(reason?: unknown): void
  /** What `work` comes to. Rejects as soon as it is cancelled: the work may be deaf to its signal. */
  race<Result>(work: Result | Promise<Result>): Promise<Result>
}

export function createCancellation(): Cancellation {
  let isCancelled = false
  let reason: unknown
  let controller: AbortController | undefined
  let giveUp: ((reason: unknown) => void) | undefined

  return {
    get isCancelled() {
      return isCancelled
    },
    get reason() {
      return reason
    },
    get signal() {
      if (!controller) {
        controller = new AbortController()
        if (isCancelled) controller.abort(reason)
      }
      return controller.signal
    },
    cancel(why) {
      if (isCancelled) return
      isCancelled = true
      reason = why
      controller?.abort(why)
      giveUp?.(why)
    },
    race(work) {
      return new Promise((resolve, reject) => {
        if (isCancelled) reject(reason)
        giveUp = reject
        Promise.resolve(work).then(resolve, reject)
      })
    },
  }
}
