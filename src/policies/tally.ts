/** Counts the replayed calls, and collects those that would have been decided differently. */
import type { Effect } from '../api/policy.ts'
import type { PolicyCall } from '../policy/policy.ts'

export interface Simulation {
  /** The number of calls in this period, by sessions that the policy would apply to. */
  readonly calls: number
  readonly unchanged: number
  readonly uncertain: number
  readonly changed: readonly ChangedCall[]
  readonly groups: readonly ChangedGroup[]
  /** The number of changed calls for each pair of effects. `changed` lists only the first ones. */
  readonly changes: readonly { readonly before: Effect; readonly after: Effect; readonly count: number }[]
  /** The times of the first and last replayed call. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** There are more calls after `to` than the limit allowed. */
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
  /** The person's answer, if the call was asked for and not allowed. */
  readonly answer?: RefusedAnswer
}

/** Changed calls of one tool that are decided alike. */
export interface ChangedGroup extends Pick<ChangedCall, 'tool' | 'before' | 'after' | 'rule'> {
  readonly count: number
  /** How many of them a person denied or aborted. */
  readonly refused: number
  /** The names of the first sessions that made such calls. */
  readonly sessions: readonly string[]
  /** A text from the arguments of the first call. */
  readonly example?: string
}

export type RefusedAnswer = 'denied' | 'aborted'

export interface RecordedCall extends PolicyCall {
  readonly event: string
  readonly at: string
  readonly session: string
  readonly before: Effect
  /** A grant that allowed the call then would allow it again. */
  readonly isGranted: boolean
  readonly policyVersion: string
}

export type Judgement = 'uncertain' | { readonly effect: Effect; readonly rule?: string }

/** A session that made calls. */
export interface CallingSession {
  readonly id: string
  /** `undefined`: it was removed. */
  readonly name: string | undefined
}

const maxListed = 200
const maxGroups = 200
const sessionsOfGroup = 3
const longestExample = 200

export function createTally(refusals: ReadonlyMap<string, RefusedAnswer>) {
  const changed: ChangedCall[] = []
  const groups = createGroups()
  const changes = new Map<string, { before: Effect; after: Effect; count: number }>()
  let [calls, unchanged, uncertain] = [0, 0, 0]
  let from: string | undefined
  let to: string | undefined

  function addChange(
    call: RecordedCall,
    session: CallingSession,
    { effect: after, rule }: Exclude<Judgement, 'uncertain'>,
  ): void {
    const { event, at, tool, before } = call
    const answer = refusals.get(event)
    const change = changes.get(`${before} ${after}`)
    if (change) change.count++
    else changes.set(`${before} ${after}`, { before, after, count: 1 })
    const listed = {
      event,
      at,
      session: session.id,
      tool,
      before,
      after,
      ...(rule !== undefined && { rule }),
      ...(answer && { answer }),
    }
    groups.add(listed, session.name ?? session.id, call.arguments)
    if (changed.length < maxListed) changed.push(listed)
  }

  return {
    get calls() {
      return calls
    },
    add(call: RecordedCall, session: CallingSession, judgement: Judgement): void {
      calls++
      from ??= call.at
      to = call.at
      if (judgement === 'uncertain') uncertain++
      else if (judgement.effect === call.before) unchanged++
      else addChange(call, session, judgement)
    },
    result: (isCut: boolean): Simulation => ({
      calls,
      unchanged,
      uncertain,
      changed,
      groups: groups.all(),
      changes: [...changes.values()],
      from,
      to,
      isCut,
    }),
  }
}

/** The largest groups come first. Calls beyond the limit are in the counts only. */
function createGroups() {
  type Growing = ChangedGroup & { count: number; refused: number; sessions: string[] }
  const groups = new Map<string, Growing>()

  return {
    add({ tool, before, after, rule, answer }: ChangedCall, session: string, args: PolicyCall['arguments']): void {
      const key = JSON.stringify([tool, before, after, rule])
      let group = groups.get(key)
      if (!group) {
        if (groups.size === maxGroups) return
        const example = Object.values(args).find((value) => typeof value === 'string')
        group = {
          tool,
          before,
          after,
          ...(rule !== undefined && { rule }),
          count: 0,
          refused: 0,
          sessions: [],
          ...(example !== undefined && { example: example.slice(0, longestExample) }),
        }
        groups.set(key, group)
      }
      group.count++
      if (answer) group.refused++
      if (group.sessions.length < sessionsOfGroup && !group.sessions.includes(session)) group.sessions.push(session)
    },
    all: (): readonly ChangedGroup[] => [...groups.values()].toSorted((one, other) => other.count - one.count),
  }
}
