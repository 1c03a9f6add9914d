/**
 * Policies say what agents may do: one document for the hub, one per template and one per session. People write them,
 * and agents may propose rules. Every call of an agent is decided here, by the documents in force at that moment.
 *
 *   set_policy → compiled → saved as the next version → pooled → decide
 */
import type { Effect, StatedPolicy, TemplatePolicy } from '../api/policy.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Feature, SignalSender } from '../feature/feature.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { CompiledGrant, PolicyCall, Verdict } from '../policy/policy.ts'
import { compilePolicy, decide, predict, PolicyFailure } from '../policy/policy.ts'
import type { Store } from '../store/store.ts'
import { createAgentProvider } from './agent-tools.ts'
import type { KnownSession } from './current-policies.ts'
import { createCurrentPolicies } from './current-policies.ts'
import type { Explain, ToolNames } from './explain.ts'
import { createExplain } from './explain.ts'
import { createPools } from './pools.ts'
import { createPolicyDocuments } from './policy-documents.ts'
import { createPolicyStore } from './policy-store.ts'
import { createPolicyProvider } from './policy-tools.ts'
import { createProposalStore } from './proposal-store.ts'
import { createProposals } from './proposals.ts'

export interface Policies extends Feature {
  /** Throws a `PolicyFailure` if there is no decision. The call must not run then. */
  decide(sessionId: string, call: PolicyCall): Promise<Verdict>
  /** Returns the effect for a tool if it is the same for all arguments, and `undefined` if it depends on them. */
  predict(sessionId: string): Promise<(names: Pick<PolicyCall, 'tool' | 'aliases'>) => Effect | undefined>
  /** The version of all documents that apply to a session now. */
  versionOf(sessionId: string): Promise<string>
  /** Throws a `HubError` that names the faulty line. */
  check(source: string): Promise<void>
  /** Saves the policy that a session is created with, before its program runs. */
  setSessionPolicy(sessionId: string, source: string, by: string): Promise<void>
  /** Stores the policy of the template that a session is started from. Throws if the policy is invalid. */
  storeTemplatePolicy(sessionId: string, template: string, policy: StatedPolicy): Promise<void>
  /** The newest document of the session itself. `undefined`: it has none. */
  ownOf(sessionId: string): Promise<string | undefined>
  /** The tools for people and for agents. They explain decisions, so they need the names that agents see. */
  createTools(names: ToolNames): Feature
}

export interface PoliciesOptions {
  readonly store: Store
  readonly hubId: string
  readonly events: Pick<EventLog, 'append' | 'read'>
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly redactor: Pick<Redactor, 'forPerson'>
  /** The hub's document until a person saves another. */
  readonly shippedSource: string
  /** Reads the policy in the template's file. */
  readonly templatePolicy: (name: string) => TemplatePolicy
  readonly templateNames: () => readonly string[]
  /** Takes a name or an id. Throws if there is no such session. */
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
  readonly grants: { of(sessionId: string): Promise<readonly CompiledGrant[]> }
  readonly signals: SignalSender
  /** The limit for all rejected and withdrawn proposals together. */
  readonly maxEndedBytes: number
  readonly now?: () => Date
}

export function createPolicies(options: PoliciesOptions): Policies {
  const {
    store,
    hubId,
    events,
    notices,
    redactor,
    shippedSource,
    templatePolicy,
    templateNames,
    findSession,
    signals,
  } = options
  const { maxEndedBytes, now = () => new Date() } = options
  const rows = createPolicyStore(store)
  const current = createCurrentPolicies({ rows, hubId, shippedSource, templatePolicy, now: () => now().getTime() })
  const documents = createPolicyDocuments({
    rows,
    current,
    events,
    notices,
    templatePolicy,
    templateNames,
    findSession,
    now,
    signals,
  })
  const proposalRows = createProposalStore(store)
  const proposals = createProposals({
    rows: proposalRows,
    documents,
    events,
    notices,
    redactor,
    findSession,
    maxEndedBytes,
    now,
  })
  async function grantsOf(sessionId: string): Promise<readonly CompiledGrant[]> {
    try {
      return await options.grants.of(sessionId)
    } catch (error) {
      throw new PolicyFailure(`The grants of this session cannot be read: ${messageOf(error)}`, { cause: error })
    }
  }
  const pools = createPools({ current, findSession })

  return {
    async decide(sessionId, call) {
      return decide(await pools.of(sessionId), await grantsOf(sessionId), call)
    },
    async predict(sessionId) {
      const pool = await pools.of(sessionId)
      const grants = await grantsOf(sessionId)
      return (names) => predict(pool, grants, names)
    },
    versionOf: async (sessionId) => (await pools.of(sessionId)).version,
    async check(source) {
      await compilePolicy(source, { scope: 'session', version: 0 })
    },
    async setSessionPolicy(sessionId, source, by) {
      await documents.save({ key: { scope: 'session', target: sessionId }, source, by })
    },
    storeTemplatePolicy: (sessionId, template, policy) => current.storeTemplatePolicy(sessionId, template, policy),
    async ownOf(sessionId) {
      return (await documents.get({ scope: 'session', target: sessionId })).source || undefined
    },
    createTools(names) {
      const explain: Explain = createExplain({ pools, grantsOf, names })
      return {
        providers: [createPolicyProvider({ documents, proposals, explain, names, current, events, findSession })],
        providersOf: (sessionId) => [createAgentProvider({ sessionId, proposals, pools, explain })],
      }
    },
    on: {
      'templates-changed': () => current.keepAll(),
      'session-ended'({ session }) {
        current.forget(session)
        pools.forget(session)
      },
    },
    // Includes sessions that an older version of the hub started without storing their template policy.
    start: () => current.keepAll(),
  }
}
