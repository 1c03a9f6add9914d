/** The time, for ages on the screen. All parts of the page see the same one. */
import { useSyncExternalStore } from 'react'

interface Ticker {
  get(): number
  subscribe(listener: () => void): () => void
}

const tickers = new Map<number, Ticker>()

export function useNow(everyMs: number): number {
  let ticker = tickers.get(everyMs)
  if (!ticker) tickers.set(everyMs, (ticker = createTicker(everyMs)))
  return useSyncExternalStore(ticker.subscribe, ticker.get)
}

/** The timer runs only while a component uses it. */
function createTicker(everyMs: number): Ticker {
  const listeners = new Set<() => void>()
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  function tick(): void {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  return {
    get: () => now,
    subscribe(listener) {
      if (listeners.size === 0) {
        now = Date.now()
        timer = setInterval(tick, everyMs)
      }
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}
