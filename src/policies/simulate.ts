/**
 * Replays recorded calls under a policy that does not hold yet: what was decided then, and what would be decided. The
 * record holds no secrets, so where a rule looks at what was taken out, the call is counted as uncertain, not guessed.
 */
import type { Effect } from '../api/policy.ts'
import { effects } from '../api/policy.ts'
import type { Event } from '../api/event.ts'
import { HubError } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import { redactedText } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Policy, PolicyCall, PolicyPool } from '../policy/policy.ts'
import { couldDiffer, decide, poolPolicies } from '../policy/policy.ts'
import type { CurrentPolicies, PolicySession } from './current-policies.ts'
import type { KnownSession } from './policies.ts'
import type { PolicyKey } from './policy-store.ts'

export interface Simulation {
  /** That were made in this time, by sessions the policy would hold for. */
  readonly calls: number
  readonly unchanged: number
  readonly uncertain: number
  readonly changed: readonly ChangedCall[]
  /** How many changed, from what to what; `changed` lists the first of them. */
  readonly changes: readonly { readonly before: Effect; readonly after: Effect; readonly count: number }[]
  /** Times of the first and the last of them. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** There are more calls behind `to` than the limit allowed. */
  readonly isCut: boolean
}

export interface ChangedCall {
  readonly event: string
  readonly at: string
  readonly session: string
  readonly tool: string
  readonly before: Effect
  readonly after: Effect
  readonly rule?: string
}

export interface SimulationRequest {
  /** Compiled; it stands in for the one of its key. */
  readonly proposed: Policy
  readonly key: PolicyKey
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** At most so many calls. */
  readonly limit: number
  readonly signal: AbortSignal
  readonly onProgress: (calls: number) => void
}

export interface SimulationDeps {
  readonly events: Pick<EventLog, 'read'>
  readonly current: Pick<CurrentPolicies, 'poolOf'>
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
}

const maxListed = 200
const pageSize = 500

export async function simulate(request: SimulationRequest, deps: SimulationDeps): Promise<Simulation> {
  const { key, limit, signal, onProgress } = request
  const pools = createProposedPools(request, deps)
  const tally = createTally()
  for await (const call of recordedCalls(request, deps.events)) {
    signal.throwIfAborted()
    const session = await pools.sessionOf(call)
    if (key.scope === 'template' && session.template !== key.target) continue
    if (tally.calls === limit) return tally.result(true)
    tally.add(call, await judge(call, await pools.poolOf(session)))
    if (tally.calls % pageSize === 0) onProgress(tally.calls)
  }
  return tally.result(false)
}

interface RecordedCall extends PolicyCall {
  readonly event: string
  readonly at: string
  readonly session: string
  readonly before: Effect
  /** A grant that said yes then would say it again. */
  readonly isGranted: boolean
  readonly policyVersion: string
}

async function* recordedCalls(
  { key, since, until }: SimulationRequest,
  events: SimulationDeps['events'],
): AsyncGenerator<RecordedCall> {
  const filter = {
    type: 'tool-called',
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

/** `undefined`: no agent made it, so no policy decided it. */
function toRecordedCall({ id, at, session, payload }: Event): RecordedCall | undefined {
  const { tool, aliases, arguments: args, decision } = payload
  if (session === undefined || typeof tool !== 'string' || !isRecord(decision)) return undefined
  const before = effects.find((effect) => effect === decision['effect'])
  if (before === undefined) return undefined
  const policyVersion = String(decision['policy_version'])
  const isGranted = decision['grant'] !== undefined
  return {
    event: id,
    at,
    session,
    tool,
    ...(areTexts(aliases) && { aliases }),
    arguments: isRecord(args) ? args : {},
    before,
    isGranted,
    policyVersion,
  }
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

type Judgement = 'uncertain' | { readonly effect: Effect; readonly rule?: string }

async function judge(call: RecordedCall, pool: PolicyPool): Promise<Judgement> {
  const hidden = Object.keys(call.arguments).filter((name) => isHidden(call.arguments[name]))
  if (hidden.length > 0 && couldDiffer(pool, call, hidden)) return 'uncertain'
  const verdict = decide(pool, [], call)
  return verdict.effect === 'ask' && call.isGranted ? { ...verdict, effect: 'allow' } : verdict
}

/** What the record puts in the place of what it does not keep. */
const placeholders = [redactedText, '[not recorded]', '[too deep]', '[circular]', '[unreadable]']

function isHidden(value: unknown): boolean {
  if (typeof value === 'string') return placeholders.some((placeholder) => value.includes(placeholder))
  return typeof value === 'object' && value !== null && Object.values(value).some(isHidden)
}

/** The pool of each session that made calls, with the proposed policy in its place. */
function createProposedPools({ proposed, key }: SimulationRequest, { current, findSession }: SimulationDeps) {
  const sessions = new Map<string, PolicySession>()
  const pools = new Map<string, PolicyPool>()

  async function sessionOf({ session: id, policyVersion }: RecordedCall): Promise<PolicySession> {
    const known = sessions.get(id)
    if (known) return known
    const found = await findSession(id).catch((error: unknown) => {
      if (error instanceof HubError && error.code === 'not-found') return undefined
      throw error
    })
    // Of a session that was removed, the record still says which template's policy it was under, if any.
    const template = found?.template ?? /template:([^@+]+)@/.exec(policyVersion)?.[1] ?? ''
    const session = { id, template }
    sessions.set(id, session)
    return session
  }

  async function poolOf(session: PolicySession): Promise<PolicyPool> {
    const known = pools.get(session.id)
    if (known) return known
    const { policies } = await current.poolOf(session)
    const others = policies.filter(({ place }) => place.scope !== key.scope)
    const pool = poolPolicies([...others, proposed])
    pools.set(session.id, pool)
    return pool
  }

  return { sessionOf, poolOf }
}

function createTally() {
  const changed: ChangedCall[] = []
  const changes = new Map<string, { before: Effect; after: Effect; count: number }>()
  let [calls, unchanged, uncertain] = [0, 0, 0]
  let from: string | undefined
  let to: string | undefined

  function addChange(
    { event, at, session, tool, before }: RecordedCall,
    after: Effect,
    rule: string | undefined,
  ): void {
    const change = changes.get(`${before} ${after}`)
    if (change) change.count++
    else changes.set(`${before} ${after}`, { before, after, count: 1 })
    if (changed.length === maxListed) return
    changed.push({ event, at, session, tool, before, after, ...(rule !== undefined && { rule }) })
  }

  return {
    get calls() {
      return calls
    },
    add(call: RecordedCall, judgement: Judgement): void {
      calls++
      from ??= call.at
      to = call.at
      if (judgement === 'uncertain') uncertain++
      else if (judgement.effect === call.before) unchanged++
      else addChange(call, judgement.effect, judgement.rule)
    },
    result: (isCut: boolean): Simulation => ({
      calls,
      unchanged,
      uncertain,
      changed,
      changes: [...changes.values()],
      from,
      to,
      isCut,
    }),
  }
}
