/** Refuses a call between sessions that would never end, or that goes on over too many of them. */
import { HubError } from '../base/hub-error.ts'
import type { ChainMember } from '../gate/gate.ts'
import type { WaitGraph } from './wait-graph.ts'

export interface Asking {
  readonly caller: ChainMember
  readonly peer: ChainMember
  /** The sessions that the caller works for. */
  readonly callers: readonly ChainMember[]
  readonly waits: Pick<WaitGraph, 'path'>
  readonly hopLimit: number
}

/** The data of the error has the chain, by names. */
export function assertMayAsk({ caller, peer, callers, waits, hopLimit }: Asking): void {
  const chain = [...callers, caller, peer]
  if (peer.id === caller.id) throw refusal(`"${caller.name}" cannot ask itself`, chain)
  if (callers.some(({ id }) => id === peer.id)) {
    throw refusal(`"${caller.name}" works for "${peer.name}", so it cannot ask "${peer.name}"`, chain)
  }
  const path = waits.path(peer, caller)
  if (path) {
    throw refusal(`"${peer.name}" waits for "${caller.name}", so neither would ever answer`, [...path, peer])
  }
  if (chain.length > hopLimit) {
    throw refusal(`At most ${hopLimit} sessions may work for one another (SIGNALBOX_HOP_LIMIT)`, chain)
  }
}

function refusal(why: string, chain: readonly ChainMember[]): HubError {
  const names = chain.map(({ name }) => name)
  return new HubError('conflict', `${why}: ${names.join(' → ')}. Go on without it.`, { data: { chain: names } })
}
