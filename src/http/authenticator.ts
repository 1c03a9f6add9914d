/** Turns the bearer token of a request into a principal, or says why not. Runs before a byte of the body is read. */
import { dropOldest } from '../base/drop-oldest.ts'
import type { Principal } from '../base/principal.ts'

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

/** The most wrong tokens from one address per minute. A right token is still accepted after that. */
const failuresPerMinute = 20
const maxAddresses = 10_000

export function createAuthenticator({
  findPrincipal,
  hasSession,
  now = Date.now,
}: AuthenticatorOptions): Authenticator {
  const failures = new Map<string, { count: number; until: number }>()

  function countFailure(address: string, why: string): Authentication {
    const known = failures.get(address)
    if (!known || known.until <= now()) {
      // The map is bounded: the address that failed first is forgotten first.
      failures.delete(address)
      failures.set(address, { count: 1, until: now() + 60_000 })
      dropOldest(failures, maxAddresses)
      return { is: 'unknown', why }
    }
    known.count++
    if (known.count <= failuresPerMinute) return { is: 'unknown', why }
    return { is: 'too-many-failures', retryAfterSeconds: Math.max(1, Math.ceil((known.until - now()) / 1000)) }
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
