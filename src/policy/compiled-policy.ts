/** A policy as it decides: its rules compiled, the call it is asked about, and the verdict. */
import type { Effect, PolicyScope } from '../api/policy.ts'

/** Turns `ask` into `allow` for the calls it matches. */
export interface CompiledGrant {
  readonly id: string
  matches(call: PolicyCall): boolean
}

/** Identifies a document: the hub's, a template's or a session's. */
export interface PolicyPlace {
  readonly scope: PolicyScope
  readonly target?: string
  /** Raised with each save; 0 if nothing was ever saved. */
  readonly version: number
  /** The hash of a document from a file, shipped or of a template: such a file changes without a new version. */
  readonly digest?: string
}

export interface Policy {
  readonly place: PolicyPlace
  readonly source: string
  readonly default?: Effect
  /** Narrower scopes cannot change the default. */
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

/** A compiled `when`. */
export interface Condition {
  holds(args: PolicyCall['arguments']): boolean
  /** Whether the value of this argument can make a difference. */
  dependsOn(name: string): boolean
}

export interface PolicyCall {
  /** `<mount>_<original tool name>`, before shortening, so that no alias escapes a rule. */
  readonly tool: string
  /** The name that the caller sees, and other past or possible names. A rule for an alias may forbid, but never allow. */
  readonly aliases?: readonly string[] | undefined
  readonly arguments: Readonly<Record<string, unknown>>
  /** Of an own tool: the agent's own settings want a person to confirm this call. */
  readonly agentAsks?: boolean
}

export interface Verdict {
  readonly effect: Effect
  /** Such as `hub#3`; absent if the default decided or, for an own tool, the settings of the agent. */
  readonly rule?: string
  readonly reason?: string
  /** The id of the grant that turned `ask` into `allow`. */
  readonly grant?: string
  /** The versions of all pooled documents, such as `hub@3+template:codex@1`. */
  readonly policyVersion: string
}
