/** A session works on one prompt at a time. Those who ask it stand in line, first come, first served. */
import { HubError } from '../base/hub-error.ts'
import type { Turns } from '../gate/gate.ts'

export interface TurnQueue {
  /**
   * Resolves when it is this caller's turn. Until the returned value is disposed of, no other caller gets a turn.
   * Throws if too many wait, and rejects if the signal aborts.
   */
  enter(session: { readonly id: string; readonly name: string }, signal: AbortSignal): Promise<Disposable>
}

/** A longer line would only make callers wait until their clients give up. */
export const mostWaiting = 16

interface Line {
  readonly waiting: (() => void)[]
  isHeld: boolean
  stopListening(): void
}

export function createTurnQueue(turns: Pick<Turns, 'isRunning' | 'onEnd'>): TurnQueue {
  const lines = new Map<string, Line>()

  function lineOf(session: string): Line {
    const known = lines.get(session)
    if (known) return known
    const line: Line = { waiting: [], isHeld: false, stopListening: turns.onEnd(session, () => next(session)) }
    lines.set(session, line)
    return line
  }

  function next(session: string): void {
    const line = lines.get(session)
    if (!line || line.isHeld) return
    if (line.waiting.length === 0) {
      line.stopListening()
      lines.delete(session)
    } else if (!turns.isRunning(session)) {
      line.isHeld = true
      line.waiting.shift()!()
    }
  }

  function hold(session: string): Disposable {
    return {
      [Symbol.dispose]() {
        const line = lines.get(session)
        if (line) line.isHeld = false
        next(session)
      },
    }
  }

  return {
    async enter({ id, name }, signal) {
      signal.throwIfAborted()
      const line = lineOf(id)
      if (line.waiting.length >= mostWaiting) {
        throw new HubError('busy', `"${name}" is busy, and ${mostWaiting} others wait for it already. Ask again later.`)
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        const place = line.waiting.indexOf(resolve)
        if (place < 0) return
        line.waiting.splice(place, 1)
        reject(signal.reason as Error)
        next(id)
      }
      line.waiting.push(resolve)
      signal.addEventListener('abort', leave)
      next(id)
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
      return hold(id)
    },
  }
}
