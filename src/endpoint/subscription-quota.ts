/** Limits how many resources the clients of one session follow together, over all their connections and streams. */
import { HubError } from '../base/hub-error.ts'
import type { Principal } from '../base/principal.ts'

export interface SubscriptionQuota {
  /** Throws if there would be too many. */
  take(caller: Principal, count: number): void
  /** For subscriptions that an earlier hub accepted. */
  takeUnchecked(caller: Principal, count: number): void
  release(caller: Principal, count: number): void
}

export function createSubscriptionQuota(max: number): SubscriptionQuota {
  const taken = new Map<string, number>()

  /** People have no session, so each of their tokens counts separately. */
  const keyOf = ({ session, tokenId }: Principal) => (session === undefined ? `token ${tokenId}` : `session ${session}`)

  function change(caller: Principal, by: number): void {
    const next = (taken.get(keyOf(caller)) ?? 0) + by
    if (next > 0) taken.set(keyOf(caller), next)
    else taken.delete(keyOf(caller))
  }

  return {
    take(caller, count) {
      if ((taken.get(keyOf(caller)) ?? 0) + count > max) {
        const whose = caller.session === undefined ? 'token' : 'session'
        throw new HubError('busy', `A ${whose} may follow at most ${max} resources. Unsubscribe from some first.`)
      }
      change(caller, count)
    },
    takeUnchecked: (caller, count) => change(caller, count),
    release: (caller, count) => change(caller, -count),
  }
}
