/**
 * Decides whether a call may be made. Pure: documents and a call in, a verdict out; who keeps the documents and who asks
 * the person is not known here. The strictest match of all scopes wins, so order never matters.
 *
 *   source → compilePolicy → poolPolicies (hub, template, session) → decide
 */
import type { Effect, PolicyScope } from '../api/policy.ts'

export { appendRules } from './append-rules.ts'
export { compileGrant, compilePolicy } from './compile.ts'
export type { CompiledGrant } from './compile.ts'
export { couldDiffer, decide, foresee, PolicyFailure } from './decide.ts'
export { poolPolicies } from './pool.ts'
export type { PolicyPool } from './pool.ts'

/** Which document this is: one of the hub, one of a template, one of a session. */
export interface PolicyPlace {
  readonly scope: PolicyScope
  readonly target?: string
  /** Counts up with each save; 0 where nothing was ever saved. */
  readonly version: number
  /** Of what comes from a file, the shipped one or a template's: those change without being counted. */
  readonly digest?: string
}

export interface Policy {
  readonly place: PolicyPlace
  readonly source: string
  readonly default?: Effect
  /** Narrower scopes cannot state another default. */
  readonly isLocked: boolean
  readonly rules: readonly PolicyRule[]
}

export interface PolicyRule {
  /** Such as `hub#3`: the third rule of the hub's document. */
  readonly name: string
  readonly effect: Effect
  readonly tools: readonly string[]
  readonly when?: Readonly<Record<string, unknown>>
  readonly reason?: string
  namesTool(tool: string): boolean
  readonly condition?: Condition
}

/** `when`, compiled. */
export interface Condition {
  holds(args: PolicyCall['arguments']): boolean
  /** Whether what stands under this name of the arguments can make a difference. */
  looksAt(name: string): boolean
}

export interface PolicyCall {
  /** `<mount>_<original tool name>`, before shortening: no alias escapes a rule. */
  readonly tool: string
  /** The name that its caller sees, and others that it has had or may have: a rule for one may forbid, never allow. */
  readonly aliases?: readonly string[] | undefined
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
