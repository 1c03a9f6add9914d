/**
 * Decides whether a call may be made. It is pure: documents and a call go in, a verdict comes out. It does not know who
 * stores the documents or who asks the person. The strictest match of all scopes wins, so order never matters.
 *
 *   source → compilePolicy → poolPolicies (hub, template, session) → decide
 */
export { appendRules } from './append-rules.ts'
export { compileGrant, compilePolicy } from './compile.ts'
export type { CompiledGrant, Policy, PolicyCall, PolicyPlace, Verdict } from './compiled-policy.ts'
export { couldDiffer, decide, predict, PolicyFailure } from './decide.ts'
export { poolPolicies } from './pool.ts'
export type { PolicyPool } from './pool.ts'
