/** The pooled documents that apply to a session now. Real calls and check_call use the same ones. */
import { messageOf } from '../base/hub-error.ts'
import type { PolicyPool } from '../policy/policy.ts'
import { PolicyFailure } from '../policy/policy.ts'
import type { CurrentPolicies, KnownSession, PolicySession } from './current-policies.ts'

export interface Pools {
  of(sessionId: string): Promise<PolicyPool>
  forget(sessionId: string): void
}

export interface PoolsOptions {
  readonly current: CurrentPolicies
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
}

export function createPools({ current, findSession }: PoolsOptions): Pools {
  /** Cached, because a session never changes its template or its hub. */
  const sessions = new Map<string, PolicySession>()

  async function sessionOf(id: string): Promise<PolicySession> {
    const { template, hubId } = await findSession(id).catch((error: unknown) => {
      throw new PolicyFailure(`The policy of this session cannot be found: ${messageOf(error)}`, { cause: error })
    })
    const session = { id, template, hubId }
    sessions.set(id, session)
    return session
  }

  return {
    of: async (id) => current.poolOf(sessions.get(id) ?? (await sessionOf(id))),
    forget: (id) => void sessions.delete(id),
  }
}
