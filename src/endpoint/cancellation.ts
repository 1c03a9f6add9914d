/**
 * Cancels a request before its answer. Few requests are cancelled, so the signal is created only on demand.
 *
 * A class, since each request has one: for an object literal with its own getters V8 keeps a shape, and with the shape
 * the whole request, until the next major collection.
 */
export class Cancellation {
  #isCancelled = false
  #reason: unknown
  #controller: AbortController | undefined
  #giveUp: ((reason: unknown) => void) | undefined

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** The reason given to `cancel`, if any. */
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

  /** The result of `work`. Rejects as soon as the request is cancelled, since the work may ignore its signal. */
  race<Result>(work: Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isCancelled) reject(this.#reason)
      this.#giveUp = reject
      Promise.resolve(work).then(resolve, reject)
    })
  }
}
