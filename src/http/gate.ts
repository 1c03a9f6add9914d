/** Who may come in: the bearer token of a request, or why not. Asked before a byte of the body is read. */
import { dropOldest } from '../base/drop-oldest.ts'
import type { Principal } from '../base/principal.ts'

export type Admission =
  | { readonly is: 'admitted'; readonly caller: Principal }
  | { readonly is: 'unknown'; readonly why: string }
  | { readonly is: 'session-gone' }
  | { readonly is: 'too-many-failures'; readonly retryAfterSeconds: number }

export interface Gate {
  admit(authorization: string | undefined, address: string): Promise<Admission>
}

export interface GateOptions {
  authenticate(token: string): Promise<Principal | undefined>
  /** An agent's token is worth as much as its session. */
  hasSession(session: string): Promise<boolean>
  readonly now?: () => number
}

/** So many wrong tokens a minute may come from one address. A right token passes even then: it proves itself. */
const failuresPerMinute = 20
const maxAddresses = 10_000

export function createGate({ authenticate, hasSession, now = Date.now }: GateOptions): Gate {
  const failures = new Map<string, { count: number; until: number }>()

  function countFailure(address: string, why: string): Admission {
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
    async admit(authorization, address) {
      if (authorization === undefined) return countFailure(address, 'Send "Authorization: Bearer <token>".')
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
      const caller = token === undefined ? undefined : await authenticate(token)
      if (!caller) return countFailure(address, 'The token is unknown, revoked or expired.')
      const isSessionGone = caller.session !== undefined && !(await hasSession(caller.session))
      return isSessionGone ? { is: 'session-gone' } : { is: 'admitted', caller }
    },
  }
}
