/** The request to the gate and its answer. */
import type { HeldCall } from '../api/approval.ts'
import type { Principal } from '../base/principal.ts'
import type { PolicyCall, Verdict } from '../policy/policy.ts'

export interface Gate {
  /** Decides whether a call may run. Rejects if the call cannot be recorded or no person can be asked. */
  authorize(request: GateRequest): Promise<Authorization>
  /** Where the calls of a session belong while it works on a prompt. `undefined`: each call is on its own. */
  placeOf(session: string): CallPlace | undefined
}

export interface CallPlace {
  readonly correlation: string
  /** The event `turn-started`. */
  readonly parent: string
  readonly thread?: string
}

export interface GateRequest extends PolicyCall, HeldCall {
  /** The session id. */
  readonly session: string
  readonly correlation: string
  /** The event that caused the call, and the thread it belongs to. */
  readonly parent?: string | undefined
  readonly thread?: string | undefined
  /** The token that made the call, if there was one. */
  readonly caller?: Pick<Principal, 'role' | 'tokenId'>
  /** The span of the caller, if it sent a W3C trace context. */
  readonly callerSpan?: string | undefined
  /** The value that `suspend` returned in the previous round. */
  readonly state?: unknown
  /** Arguments that are not recorded in events. */
  readonly unrecorded?: readonly string[] | undefined
  /** The transport that answers the call, such as `mcp:stdio`. */
  readonly route?: string | undefined
  readonly upstream?: string | undefined
  /** False: this caller cannot wait for a person, so a call that needs one is denied. */
  readonly mayAsk?: boolean
  /** Allows the call if only the policy's default says `ask`. A rule that says `ask` still applies. */
  readonly isAllowedUnlessRuled?: boolean
  /** A person approved, and this call has consumed the approval: it may run from here on. */
  onApproved?(): Promise<void>
}

export type Authorization = Authorized | Refused | Pending | { readonly status: 'cancelled' }

/** The caller runs the call now and reports how it ended. */
export interface Authorized {
  readonly status: 'allowed'
  /** A rule, a grant or a person allowed it. False: no rule matched, and the default or the agent's settings allow it. */
  readonly isRuled: boolean
  /** The id of the event that records the call. */
  readonly event: string
  /** The state that the call itself passed to `suspend` in the previous round. */
  readonly state: unknown
  end(ending: CallEnding): void
  /**
   * The call needs something from its caller before it can continue. The caller brings the returned value back as
   * `state`, so that no person is asked twice.
   */
  suspend(state: unknown): object
}

export type CallEnding =
  | { readonly outcome: 'ok' | 'error'; readonly bytes?: number }
  | { readonly outcome: 'failed' | 'cancelled'; readonly error: unknown }

/** The call must not run. `failed`: the policy could not be evaluated. */
export type Refused = Reasons &
  (
    | { readonly by: 'policy'; readonly status: 'denied' | 'aborted' | 'failed' }
    | { readonly by: 'person'; readonly status: 'denied' | 'aborted' | 'expired' | 'abandoned' }
  )

export interface Reasons {
  readonly rule?: string
  readonly reason?: string
  readonly policyVersion?: string
  /** The id of the approval that was requested. */
  readonly approval?: string
}

/** The hold ended before a person answered. The same call made again gets the answer. */
export interface Pending {
  readonly status: 'pending'
  readonly approval: string
}

/** The policy could not be evaluated. */
export interface Failed {
  readonly failure: string
}

export type Decided = Verdict | Failed
