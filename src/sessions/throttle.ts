/** Runs at once, then at most once per `ms`. The last call is never lost. */
export function throttle(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  let isWanted = false
  return function call() {
    if (timer) {
      isWanted = true
      return
    }
    run()
    timer = setTimeout(() => {
      timer = undefined
      if (!isWanted) return
      isWanted = false
      call()
    }, ms).unref()
  }
}
