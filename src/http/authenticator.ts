/** Turns the bearer token of a request into a principal, or says why not. Runs before a byte of the body is read. */
import type { Principal } from '../base/principal.ts'
import { createFailureLimit } from './failure-limit.ts'

export type Authentication =
  | { readonly is: 'authenticated'; readonly caller: Principal }
  | { readonly is: 'unknown'; readonly why: string }
  | { readonly is: 'session-gone' }
  | { readonly is: 'too-many-failures'; readonly retryAfterSeconds: number }

export interface Authenticator {
  authenticate(authorization: string | undefined, address: string): Promise<Authentication>
}

export interface AuthenticatorOptions {
  findPrincipal(token: string): Promise<Principal | undefined>
  /** The token of an agent is valid only while its session exists. */
  hasSession(session: string): Promise<boolean>
  readonly now?: () => number
}

export function createAuthenticator({
  findPrincipal,
  hasSession,
  now = Date.now,
}: AuthenticatorOptions): Authenticator {
  // A right token is accepted even above the limit.
  const failures = createFailureLimit(now)

  function countFailure(address: string, why: string): Authentication {
    const limit = failures.count(address)
    return limit ? { is: 'too-many-failures', ...limit } : { is: 'unknown', why }
  }

  return {
    async authenticate(authorization, address) {
      if (authorization === undefined) return countFailure(address, 'Send "Authorization: Bearer <token>".')
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
      const caller = token === undefined ? undefined : await findPrincipal(token)
      if (!caller) return countFailure(address, 'The token is unknown, revoked or expired.')
      const isSessionGone = caller.session !== undefined && !(await hasSession(caller.session))
      return isSessionGone ? { is: 'session-gone' } : { is: 'authenticated', caller }
    },
  }
}
