/** Why a call failed, in the terms of the page. */
import { ClientError } from '../../src/client/client.ts'
import { withoutToolAdvice } from './page-words.ts'

/**
 * `login`: the token is invalid. `lost`: the hub did not answer, or cannot now; a later try may succeed. `refused`: the
 * hub refused the call, and the message says why.
 */
export type FailureKind = 'login' | 'lost' | 'refused'

export class CallFailure extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Codes of temporary failures: the hub starts or stops, is overloaded, or had an internal error. */
const temporary = new Set([-32001, -32005, -32603])

export function toFailure(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error
  const { fault, code, message } = error
  if (fault.is === 'refused' && fault.status === 401) return new CallFailure('login', message)
  if (fault.is === 'refused' || fault.is === 'error') {
    const isTemporary = (fault.is === 'refused' && fault.status >= 500) || (code !== undefined && temporary.has(code))
    return new CallFailure(isTemporary ? 'lost' : 'refused', withoutToolAdvice(message))
  }
  return new CallFailure('lost', 'The hub cannot be reached.')
}

export function isLost(error: unknown): error is CallFailure {
  return error instanceof CallFailure && error.kind === 'lost'
}
