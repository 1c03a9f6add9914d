/**
 * Decides whether a call may be made. Pure: documents and a call in, a verdict out; who keeps the documents and who asks
 * the person is not known here. The strictest match of all scopes wins, so order never matters.
 */
import type { Effect, PolicyScope } from '../api/policy.ts'

/** Which document this is: one of the hub, one of a template, one of a session. */
export interface PolicyPlace {
  readonly scope: PolicyScope
  readonly target?: string
  /** Counts up with each save; 0 is the shipped one. */
  readonly version: number
}

export interface PolicyCall {
  /** `<mount>_<original tool name>`, before shortening: no alias escapes a rule. */
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Verdict {
  readonly effect: Effect
  /** Such as `hub#3`; absent where the default decided. */
  readonly rule?: string
  readonly reason?: string
  /** The id of the grant that made `allow` of `ask`. */
  readonly grant?: string
  /** Of everything that was pooled, such as `hub@3+template:codex@1`. */
  readonly policyVersion: string
}
