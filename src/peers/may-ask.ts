/**
 * Refuses a call between sessions that would never end, that passes through too many of them, or that would take a
 * confined agent out of its sandbox.
 */
import { HubError } from '../base/hub-error.ts'
import type { ChainMember } from '../gate/gate.ts'
import type { WaitGraph } from './wait-graph.ts'

export interface Asking {
  readonly caller: Asker
  readonly peer: Asker
  /** The sessions that the caller works for. */
  readonly callers: readonly ChainMember[]
  readonly waits: Pick<WaitGraph, 'path'>
  readonly hopLimit: number
}

/** `confined`: missing if the session runs unconfined. */
type Asker = ChainMember & { readonly confined?: object | undefined }

/** The data of the error has the chain, by names. */
export function assertMayAsk({ caller, peer, callers, waits, hopLimit }: Asking): void {
  const chain = [...callers, caller, peer]
  if (peer.id === caller.id) throw refusal(`"${caller.name}" cannot ask itself`, chain)
  if (callers.some(({ id }) => id === peer.id)) {
    throw refusal(`"${caller.name}" works for "${peer.name}", so it cannot ask "${peer.name}"`, chain)
  }
  if (caller.confined && !peer.confined) {
    throw refusal(
      `"${caller.name}" is confined and "${peer.name}" is not, so "${peer.name}" may not work for it`,
      chain,
    )
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
