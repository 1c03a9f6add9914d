/**
 * The end of a request before its answer. Few are cancelled, so the signal is made only for those who ask for it.
 *
 * A class, since there is one for each request: an object literal with getters of its own makes V8 keep a shape for it,
 * and with the shape the whole request, until the next major collection.
 */
export class Cancellation {
  #isCancelled = false
  #reason: unknown
  #controller: AbortController | undefined
  #giveUp: ((reason: unknown) => void) | undefined

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** What it was cancelled with, if anything was said. */
  get reason(): unknown {
    return this.#reason
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#isCancelled) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  cancel(reason?: unknown): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#giveUp?.(reason)
  }

  /** What `work` comes to. Rejects as soon as it is cancelled: the work may be deaf to its signal. */
  race<Result>(work: Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isCancelled) reject(this.#reason)
      this.#giveUp = reject
      Promise.resolve(work).then(resolve, reject)
    })
  }
}
