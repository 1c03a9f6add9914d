/** Whether an upstream that owes answers still does anything. Costs nothing while it owes none. */
export interface Liveness {
  /** A request begins. */
  wake(): void
  stop(): void
}

export interface LivenessOptions {
  readonly heartbeatMs: number
  isBusy(): boolean
  /** Something came since this was last asked. */
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
