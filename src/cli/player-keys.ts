/** The keys of a player: space halts and goes on, q or Ctrl-C ends it. */
import { setTimeout as delay } from 'node:timers/promises'

export interface PlayerKeys {
  readonly hasEnded: boolean
  press(bytes: Buffer): void
  end(): void
  /** Over at once when the player is ended. A halt comes on top of it. */
  pause(ms: number): Promise<void>
  anyKey(): Promise<void>
}

export function createPlayerKeys(): PlayerKeys {
  const ended = new AbortController()
  let goOn = Promise.resolve()
  let resume: (() => void) | undefined
  let pressed = Promise.withResolvers<void>()

  function toggleHalt(): void {
    if (resume) {
      resume()
      resume = undefined
    } else {
      const halt = Promise.withResolvers<void>()
      goOn = halt.promise
      resume = halt.resolve
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
      if (key === ' ') toggleHalt()
      pressed.resolve()
      pressed = Promise.withResolvers<void>()
    },
    end,
    async pause(ms) {
      await delay(ms, undefined, { signal: ended.signal }).catch(() => {})
      await goOn
    },
    anyKey: () => (ended.signal.aborted ? Promise.resolve() : pressed.promise),
  }
}
