/**
 * The calls that the hub is deciding now. Only a few of one session are decided at once, so that a session that asks
 * without end takes no more time from the others. A call that waits for a person is not counted: the approvals limit
 * those.
 */
export interface DecidingCalls {
  /**
   * Resolves when the call may be decided, in the order of the calls. `bytes`: of its arguments. Dispose of the place
   * when the call is decided or held.
   */
  enter(session: string, bytes: number): Promise<Disposable>
}

/** All of them may be decided in one turn of the event loop, at about a millisecond each. */
const mostAtOnce = 16
/** A call with long arguments takes as much time as several. */
const bytesOfOne = 16 * 1024

interface Waiting {
  readonly weight: number
  resolve(place: Disposable): void
}

interface OfSession {
  /** The weights of the calls that are being decided. */
  deciding: number
  readonly waiting: Waiting[]
}

export function createDecidingCalls(): DecidingCalls {
  const sessions = new Map<string, OfSession>()

  function takePlace(session: string, of: OfSession, weight: number): Disposable {
    of.deciding += weight
    let isFree = false
    return {
      [Symbol.dispose]() {
        if (isFree) return
        isFree = true
        of.deciding -= weight
        while (of.waiting[0] && hasRoom(of, of.waiting[0].weight)) {
          const next = of.waiting.shift()!
          next.resolve(takePlace(session, of, next.weight))
        }
        if (of.deciding === 0) sessions.delete(session)
      },
    }
  }

  return {
    async enter(session, bytes) {
      const weight = Math.min(mostAtOnce, 1 + Math.floor(bytes / bytesOfOne))
      const of = sessions.get(session) ?? { deciding: 0, waiting: [] }
      sessions.set(session, of)
      if (of.waiting.length === 0 && hasRoom(of, weight)) return takePlace(session, of, weight)
      return new Promise((resolve) => void of.waiting.push({ weight, resolve }))
    },
  }
}

function hasRoom({ deciding }: OfSession, weight: number): boolean {
  return deciding + weight <= mostAtOnce
}
