/** Refuses a call between sessions that would never end, that passes through too many of them, or that may not reach. */
import type { ChainMember } from '../gate/gate.ts'
import { assertMayReach, refusal } from './may-reach.ts'
import type { Reaching } from './may-reach.ts'
import type { WaitGraph } from './wait-graph.ts'

export interface Asking {
  readonly caller: Reaching
  readonly peer: Reaching
  /** The sessions that the caller works for. */
  readonly callers: readonly ChainMember[]
  readonly waits: Pick<WaitGraph, 'path'>
  readonly hopLimit: number
}

export function assertMayAsk({ caller, peer, callers, waits, hopLimit }: Asking): void {
  const chain = [...callers, caller, peer]
  if (peer.id === caller.id) throw refusal(`"${caller.name}" cannot ask itself`, chain)
  if (callers.some(({ id }) => id === peer.id)) {
    throw refusal(`"${caller.name}" works for "${peer.name}", so it cannot ask "${peer.name}"`, chain)
  }
  assertMayReach(caller, peer, chain)
  const path = waits.path(peer, caller)
  if (path) {
    throw refusal(`"${peer.name}" waits for "${caller.name}", so neither would ever answer`, [...path, peer])
  }
  if (chain.length > hopLimit) {
    throw refusal(`At most ${hopLimit} sessions may work for one another (SIGNALBOX_HOP_LIMIT)`, chain)
  }
}
