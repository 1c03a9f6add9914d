/** The keys of the player: space pauses and continues, q or Ctrl-C ends it. */
import { setTimeout as delay } from 'node:timers/promises'

export interface PlayerKeys {
  readonly hasEnded: boolean
  press(bytes: Buffer): void
  end(): void
  /** Ends early when the player ends. While playback is paused, waits until it continues. */
  wait(ms: number): Promise<void>
  anyKey(): Promise<void>
}

export function createPlayerKeys(): PlayerKeys {
  const ended = new AbortController()
  let unpaused = Promise.resolve()
  let resume: (() => void) | undefined
  let pressed = Promise.withResolvers<void>()

  function togglePause(): void {
    if (resume) {
      resume()
      resume = undefined
    } else {
      const pause = Promise.withResolvers<void>()
      unpaused = pause.promise
      resume = pause.resolve
    }
  }

  function end(): void {
    ended.abort()
    resume?.()
    pressed.resolve()
  }

  return {
    get hasEnded() {
      return ended.signal.aborted
    },
    press(bytes) {
      const key = bytes.toString()
      if (key === 'q' || key === '\x03') return end()
      if (key === ' ') togglePause()
      pressed.resolve()
      pressed = Promise.withResolvers<void>()
    },
    end,
    async wait(ms) {
      await delay(ms, undefined, { signal: ended.signal }).catch(() => {})
      await unpaused
    },
    anyKey: () => (ended.signal.aborted ? Promise.resolve() : pressed.promise),
  }
}
