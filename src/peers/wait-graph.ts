/** Which session waits for which. A session that waits does not answer, so a circle would wait for ever. */
import type { ChainMember } from '../gate/gate.ts'

export interface WaitGraph {
  /** The sessions from one to the other, both included, if the first waits for the other. */
  path(from: ChainMember, to: ChainMember): readonly ChainMember[] | undefined
  /** Disposing of it ends the wait. */
  enter(from: ChainMember, to: ChainMember): Disposable
}

export function createWaitGraph(): WaitGraph {
  /** One session may wait for several, and several times for one. */
  const waits = new Set<{ readonly from: ChainMember; readonly to: ChainMember }>()

  function pathFrom(from: ChainMember, goal: string, seen: Set<string>): readonly ChainMember[] | undefined {
    if (from.id === goal) return [from]
    seen.add(from.id)
    for (const wait of waits) {
      if (wait.from.id !== from.id || seen.has(wait.to.id)) continue
      const rest = pathFrom(wait.to, goal, seen)
      if (rest) return [from, ...rest]
    }
    return undefined
  }

  return {
    path: (from, to) => pathFrom(from, to.id, new Set()),
    enter(from, to) {
      const wait = { from, to }
      waits.add(wait)
      return { [Symbol.dispose]: () => void waits.delete(wait) }
    },
  }
}
