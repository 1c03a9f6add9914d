/**
 * Decides whether a call may be made. It is pure: documents and a call go in, a verdict comes out. It does not know who
 * stores the documents or who asks the person. The strictest match of all scopes wins, so order never matters.
 *
 *   source → compilePolicy → poolPolicies (hub, template, session) → decide
 */
import type { OutlinedRule } from './outline.ts'

export type { OutlinedRule } from './outline.ts'
export { compileGrant, compilePolicy } from './compile.ts'
export type { CompiledGrant, Policy, PolicyCall, PolicyPlace, PolicyRule, Verdict } from './compiled-policy.ts'
export { couldDiffer, decide, predict, PolicyFailure } from './decide.ts'
export { findUnknownName } from './unknown-name.ts'
export type { KnownMount } from './unknown-name.ts'
export { poolPolicies } from './pool.ts'
export type { PolicyPool } from './pool.ts'

/** Loaded on demand, like the parser of policies, because a hub can start without it. */
export async function appendRules(source: string, addition: string, comment: string): Promise<string> {
  const { appendRules: append } = await import('./append-rules.ts')
  return append(source, addition, comment)
}

/** Loaded on demand with the parser. */
export async function outlinePolicy(source: string): Promise<readonly OutlinedRule[]> {
  const { outlineOf } = await import('./outline.ts')
  return outlineOf(source)
}
