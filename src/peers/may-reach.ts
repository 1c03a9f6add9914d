/**
 * Whether a session may reach another one, by asking its agent or by reading from it: a confined agent must not get out of
 * its sandbox through the hub.
 */
import { HubError } from '../base/hub-error.ts'
import type { ChainMember } from '../gate/gate.ts'

/** `confined`: missing if the session runs unconfined. */
export type Reaching = ChainMember & { readonly confined?: object | undefined }

export function mayReach(caller: Reaching, peer: Reaching): boolean {
  return !caller.confined || peer.confined !== undefined
}

/** `chain`: the sessions that work for one another, if the caller asks. */
export function assertMayReach(caller: Reaching, peer: Reaching, chain: readonly ChainMember[] = [caller, peer]): void {
  if (mayReach(caller, peer)) return
  const why = `"${caller.name}" is confined and "${peer.name}" is not, so "${caller.name}" may neither ask nor read it`
  throw refusal(why, chain)
}

/** The data of the error has the chain, by names. */
export function refusal(why: string, chain: readonly ChainMember[]): HubError {
  const names = chain.map(({ name }) => name)
  return new HubError('conflict', `${why}: ${names.join(' → ')}. Go on without it.`, { data: { chain: names } })
}
