/**
 * Policies: what agents may do, one document for the hub, one per template and one per session. People write them, agents
 * may propose rules, and every call of an agent is decided here, by the documents as they are when it comes.
 *
 *   set_policy → compiled → saved as the next version → pooled → decide
 */
import type { Effect } from '../api/policy.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices, Provider } from '../mcp/mcp.ts'
import type { CompiledGrant, PolicyCall, Verdict } from '../policy/policy.ts'
import { compilePolicy, decide, foresee } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import { createAgentProvider } from './agent-tools.ts'
import { createCurrentPolicies } from './current-policies.ts'
import type { Judge, JudgeOptions } from './judge.ts'
import { createJudge } from './judge.ts'
import { createPolicyBook } from './policy-book.ts'
import { createPolicyProvider } from './policy-tools.ts'
import { createPolicyStore } from './policy-store.ts'
import { createProposalStore } from './proposal-store.ts'
import { createProposals } from './proposals.ts'

export interface Policies {
  /** Throws a `PolicyFailure` where it cannot be told: the call must not run. */
  decide(sessionId: string, call: PolicyCall): Promise<Verdict>
  /** What is decided on a tool whatever its arguments are; `undefined` where they make a difference. */
  foresee(sessionId: string): Promise<(names: Pick<PolicyCall, 'tool' | 'aliases'>) => Effect | undefined>
  /** Of all that holds for a session now. */
  versionOf(sessionId: string): Promise<string>
  /** Throws a `HubError` with the line of what is wrong. */
  check(source: string): Promise<void>
  /** The policy a session is created with, in place before its program runs. */
  setAtBirth(sessionId: string, source: string, by: string): Promise<void>
  /** Frees what is kept in memory for a session that has ended. */
  forget(sessionId: string): void
  /** For people. */
  readonly provider: Provider
  /** For the agent of one session. */
  agentProvider(sessionId: string): Provider
}

export interface PoliciesOptions {
  readonly store: Store
  readonly events: Pick<EventLog, 'append' | 'read'>
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly redactor: Pick<Redactor, 'forPerson'>
  /** The hub's document as long as nobody has saved another. */
  readonly shippedSource: string
  /** What the template's file says; throws where there is no such template. */
  readonly templatePolicy: (name: string) => string | undefined
  /** By name or id; throws where there is none. */
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
  readonly grantsOf: (sessionId: string) => readonly CompiledGrant[]
  readonly namesOf: JudgeOptions['namesOf']
  readonly onSaved: () => void
  readonly now?: () => Date
}

export interface KnownSession {
  readonly id: string
  readonly name: string
  readonly template: string
}

export function createPolicies(options: PoliciesOptions): Policies {
  const { store, events, notices, redactor, shippedSource, templatePolicy, findSession, grantsOf, namesOf } = options
  const now = options.now ?? (() => new Date())
  const rows = createPolicyStore(store)
  const current = createCurrentPolicies({ rows, shippedSource, templatePolicy, now: () => now().getTime() })
  const book = createPolicyBook({
    rows,
    current,
    events,
    notices,
    templatePolicy,
    findSession,
    now,
    onSaved: options.onSaved,
  })
  const proposalRows = createProposalStore(store)
  const proposals = createProposals({ rows: proposalRows, book, events, notices, redactor, findSession, now })
  const judge: Judge = createJudge({ current, findSession, grantsOf, namesOf })

  return {
    async decide(sessionId, call) {
      return decide(await judge.poolOf(sessionId), grantsOf(sessionId), call)
    },
    async foresee(sessionId) {
      const pool = await judge.poolOf(sessionId)
      return (names) => foresee(pool, grantsOf(sessionId), names)
    },
    versionOf: async (sessionId) => (await judge.poolOf(sessionId)).version,
    async check(source) {
      await compilePolicy(source, { scope: 'session', version: 0 })
    },
    async setAtBirth(sessionId, source, by) {
      await book.save({ key: { scope: 'session', target: sessionId }, source, by })
    },
    forget(sessionId) {
      current.forget(sessionId)
      judge.forget(sessionId)
    },
    provider: createPolicyProvider({ book, proposals, judge, current, events, findSession }),
    agentProvider: (sessionId) => createAgentProvider({ sessionId, proposals, judge }),
  }
}
