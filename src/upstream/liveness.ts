/** Checks that an upstream with open requests is still active. It costs nothing while no request is open. */
export interface Liveness {
  /** A request starts. */
  wake(): void
  stop(): void
}

export interface LivenessOptions {
  readonly heartbeatMs: number
  isBusy(): boolean
  /** Whether a message arrived since the last check. */
  wasHeard(): boolean
  ping(): void
  readonly onHang: () => void
}

export function createLiveness({ heartbeatMs, isBusy, wasHeard, ping, onHang }: LivenessOptions): Liveness {
  let timer: NodeJS.Timeout | undefined
  let isAsked = false

  function stop(): void {
    clearInterval(timer)
    timer = undefined
    isAsked = false
  }

  function look(): void {
    if (!isBusy()) return stop()
    if (wasHeard()) {
      isAsked = false
    } else if (isAsked) {
      stop()
      onHang()
    } else {
      isAsked = true
      ping()
    }
  }

  return {
    wake() {
      if (timer) return
      wasHeard()
      timer = setInterval(look, heartbeatMs).unref()
    },
    stop,
  }
}
