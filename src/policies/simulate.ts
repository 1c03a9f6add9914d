/**
 * Replays recorded calls under a policy that is not in force, and compares the decisions. The record holds no secrets.
 * If a rule depends on a value that was removed, the call is counted as uncertain instead of guessed.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { EventType, LoggedEvent } from '../api/event.ts'
import { readEvent } from '../api/event.ts'
import { isNotFound } from '../base/hub-error.ts'
import { cutMarkStart, redactedText } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Policy, PolicyPool } from '../policy/policy.ts'
import { couldDiffer, decide, PolicyFailure } from '../policy/policy.ts'
import type { CurrentPolicies, KnownSession, PolicySession } from './current-policies.ts'
import { withProposed } from './explain.ts'
import type { PolicyKey } from './policy-store.ts'
import {
  type CallingSession,
  type Judgement,
  type RecordedCall,
  type RefusedAnswer,
  type Simulation,
  createTally,
} from './tally.ts'

export interface SimulationRequest {
  /** Compiled. It replaces the document with the same key. */
  readonly proposed: Policy
  readonly key: PolicyKey
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** The maximum number of calls. */
  readonly limit: number
  readonly signal: AbortSignal
  readonly onProgress: (calls: number) => void
}

export interface SimulationDeps {
  readonly events: Pick<EventLog, 'read'>
  readonly current: Pick<CurrentPolicies, 'poolOf'>
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
}

const pageSize = 500
/** How long a replay may run before it yields to the hub's other work. */
const sliceMs = 20

export async function simulate(request: SimulationRequest, deps: SimulationDeps): Promise<Simulation> {
  const { key, limit, signal, onProgress } = request
  const pools = createProposedPools(request, deps)
  const tally = createTally(await readRefusals(request, deps.events))
  let turnAt = performance.now() + sliceMs
  for await (const call of recordedCalls(request, deps.events)) {
    signal.throwIfAborted()
    const session = await pools.sessionOf(call)
    if (key.scope === 'template' && session.template !== key.target) continue
    if (tally.calls === limit) return tally.result(true)
    tally.add(call, session, judge(call, await pools.poolOf(session)))
    if (performance.now() > turnAt) {
      await turn()
      turnAt = performance.now() + sliceMs
    }
    if (tally.calls % pageSize === 0) onProgress(tally.calls)
  }
  return tally.result(false)
}

async function* recordedCalls(
  { key, since, until }: SimulationRequest,
  events: SimulationDeps['events'],
): AsyncGenerator<RecordedCall> {
  const filter = {
    type: 'tool-called' satisfies EventType,
    limit: pageSize,
    ...(key.scope === 'session' && { session: key.target }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
  let cursor = 0
  for (;;) {
    const page = await events.read({ ...filter, cursor })
    for (const event of page.events) {
      const call = toRecordedCall(event)
      if (call) yield call
    }
    if (page.nextCursor === cursor) return
    cursor = page.nextCursor
  }
}

/** The calls that people refused, by the event of the call. */
async function readRefusals(
  { key, since }: SimulationRequest,
  events: SimulationDeps['events'],
): Promise<ReadonlyMap<string, RefusedAnswer>> {
  const filter = {
    type: 'approval-decided' satisfies EventType,
    limit: pageSize,
    ...(key.scope === 'session' && { session: key.target }),
    ...(since !== undefined && { since }),
  }
  const refusals = new Map<string, RefusedAnswer>()
  let cursor = 0
  for (;;) {
    const page = await events.read({ ...filter, cursor })
    for (const stored of page.events) {
      const event = readEvent(stored, 'approval-decided')
      const status = event?.payload.status
      if (event?.parent !== undefined && (status === 'denied' || status === 'aborted')) {
        refusals.set(event.parent, status)
      }
    }
    if (page.nextCursor === cursor) return refusals
    cursor = page.nextCursor
  }
}

/** Returns `undefined` if the call was not made by an agent, since no policy decided it. */
function toRecordedCall(stored: LoggedEvent): RecordedCall | undefined {
  const event = readEvent(stored, 'tool-called')
  if (event?.session === undefined || event.payload.decision === undefined) return undefined
  const { tool, aliases, arguments: args, decision, agent_asks: agentAsks = false } = event.payload
  return {
    event: event.id,
    at: event.at,
    session: event.session,
    tool,
    aliases,
    arguments: args,
    agentAsks,
    before: decision.effect,
    isGranted: decision.grant !== undefined,
    policyVersion: String(decision.policy_version),
  }
}

function judge(call: RecordedCall, pool: PolicyPool | undefined): Judgement {
  if (!pool || Object.keys(call.arguments).some(isCutMark)) return 'uncertain'
  const hidden = Object.keys(call.arguments).filter((name) => isHidden(call.arguments[name]))
  try {
    if (hidden.length > 0 && couldDiffer(pool, call, hidden)) return 'uncertain'
    const verdict = decide(pool, [], call)
    return verdict.effect === 'ask' && call.isGranted ? { ...verdict, effect: 'allow' } : verdict
  } catch (error) {
    // The arguments are too large for these rules.
    if (error instanceof PolicyFailure) return 'uncertain'
    throw error
  }
}

/** The placeholders that the record uses for values it does not keep. */
const placeholders = [redactedText, cutMarkStart, '[not recorded]', '[too deep]', '[circular]', '[unreadable]']

function isHidden(value: unknown): boolean {
  if (typeof value === 'string') return placeholders.some((placeholder) => value.includes(placeholder))
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).some(isCutMark) || Object.values(value).some(isHidden)
}

/** The mark that stands for fields left out of the record. */
function isCutMark(name: string): boolean {
  return name.startsWith(cutMarkStart)
}

/** The pool of each session that made calls, with the proposed policy in place of the current one. */
function createProposedPools({ proposed }: SimulationRequest, { current, findSession }: SimulationDeps) {
  const sessions = new Map<string, PolicySession & CallingSession>()
  const pools = new Map<string, PolicyPool | undefined>()

  async function sessionOf({ session: id, policyVersion }: RecordedCall): Promise<PolicySession & CallingSession> {
    const known = sessions.get(id)
    if (known) return known
    const found = await findSession(id).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
    // For a removed session, the recorded policy version still names the template, if there was a template policy.
    const template = found?.template ?? /template:([^@+]+)@/.exec(policyVersion)?.[1] ?? ''
    const session = { id, name: found?.name, template, hubId: found?.hubId }
    sessions.set(id, session)
    return session
  }

  /** `undefined`: the other policies of the session cannot be used, for example because its template was deleted. */
  async function poolOf(session: PolicySession): Promise<PolicyPool | undefined> {
    if (pools.has(session.id)) return pools.get(session.id)
    const now = await current.poolOf(session).catch((error: unknown) => {
      if (error instanceof PolicyFailure) return undefined
      throw error
    })
    const pool = now && withProposed(now, proposed)
    pools.set(session.id, pool)
    return pool
  }

  return { sessionOf, poolOf }
}
