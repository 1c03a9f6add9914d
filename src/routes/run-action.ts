/** Runs an action: asks its ways one after another, until one answers or nothing more may be asked. */
import type { Action } from '../api/action.ts'
import type { EventPayload } from '../api/event.ts'
import type { ConnectorWay, Tried, Way } from '../api/route.ts'
import { messageOf } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'
import type { ActionSettings } from './action-settings.ts'
import type { Health } from './health.ts'
import { createModelCandidate } from './model-way.ts'
import { createProgress } from './progress.ts'
import type {
  ActionModels,
  ActionOutcome,
  ActionPlace,
  Attempt,
  Candidate,
  Routes,
  RunOptions,
  WayCall,
} from './route.ts'
import type { SessionWayOptions } from './session-way.ts'
import { createSessionCandidate, createSessionCandidates } from './session-way.ts'

export interface RunActionOptions extends SessionWayOptions {
  readonly settings: ActionSettings
  readonly health: Health
  readonly models: ActionModels
  readonly toConnectorCandidate: (way: ConnectorWay, session: string | undefined) => Promise<Candidate>
  readonly events: Pick<EventLog, 'appendLater'>
}

type Outcome = EventPayload<'action-routed'>['outcome']
/** An attempt that reached something. */
type Sent = Exclude<Attempt, { readonly is: 'unavailable' }>

export function createRunAction(options: RunActionOptions): Routes['run'] {
  const { settings, health, models, sessions, toConnectorCandidate, events } = options

  async function candidatesOf(way: Way, place: ActionPlace): Promise<readonly Candidate[]> {
    if ('model' in way) return [createModelCandidate(way, models)]
    if ('connector' in way) return [await toConnectorCandidate(way, place.session)]
    return createSessionCandidates(way, options)
  }

  async function choose(
    action: Action,
    ways: readonly Way[],
    place: ActionPlace,
    { session, role }: RunOptions,
  ): Promise<readonly Candidate[]> {
    if (session !== undefined) {
      const { id, name } = await sessions.find(session)
      return [createSessionCandidate(id, options, name)]
    }
    const candidates = await Promise.all(inOrder(action, ways, role).map((way) => candidatesOf(way, place)))
    return restingLast(candidates.flat(), health)
  }

  async function ask({ name, key, ask: askIt }: Candidate, call: WayCall, tried: Tried[]): Promise<Attempt> {
    const startedAt = performance.now()
    const note = (end: Omit<Tried, 'way' | 'ms'>) => tried.push({ way: name, ...end, ms: millisecondsSince(startedAt) })
    try {
      const attempt = await askIt(call)
      const { is: outcome } = attempt
      note({
        outcome,
        ...(outcome !== 'unavailable' && { route: attempt.route }),
        ...(outcome !== 'answered' && { reason: attempt.reason }),
      })
      if (key !== undefined && outcome !== 'unavailable') health.reached(key)
      if (key !== undefined && outcome === 'unavailable' && attempt.isUnreachable) health.failed(key, attempt.reason)
      return attempt
    } catch (error) {
      note({ outcome: 'failed', reason: call.signal.aborted ? 'The call was cancelled.' : messageOf(error) })
      throw error
    }
  }

  function record(place: ActionPlace, sent: Sent | undefined, payload: EventPayload<'action-routed'>): void {
    const { correlation, parent, session = sent?.session, thread = sent?.thread } = place
    events.appendLater({
      type: 'action-routed',
      correlation,
      ...(parent !== undefined && { parent }),
      ...(session !== undefined && { session }),
      ...(thread !== undefined && { thread }),
      ...(sent && { route: sent.route }),
      payload: {
        ...payload,
        ...(sent?.session !== undefined && { asked_session: sent.session }),
        ...(sent?.thread !== undefined && { asked_thread: sent.thread }),
      },
    })
  }

  return async (action, input, place, signal, run = {}) => {
    const startedAt = performance.now()
    const tried: Tried[] = []
    let sent: Sent | undefined
    const end = (outcome: Outcome) => record(place, sent, { action, outcome, ms: millisecondsSince(startedAt), tried })
    using progress = createProgress(run.progress)
    try {
      const { ways, safeToRepeat } = await settings.of(action)
      const call = { action, input, place, signal, isSafeToRepeat: safeToRepeat, progress: progress.report }
      for (const candidate of await choose(action, ways, place, run)) {
        signal.throwIfAborted()
        progress.asking(candidate.name)
        const attempt = await ask(candidate, call, tried)
        if (attempt.is === 'unavailable') continue
        sent = attempt
        if (attempt.is === 'answered' || !safeToRepeat) break
      }
    } catch (error) {
      end(signal.aborted ? 'cancelled' : 'failed')
      throw error
    }
    end(sent?.is ?? 'unavailable')
    if (!sent) throw nothingToAsk(action, tried)
    return toOutcome(action, sent, tried)
  }
}

function toOutcome(action: Action, sent: Sent, tried: readonly Tried[]): ActionOutcome {
  const { route, session, thread } = sent
  const common = {
    action,
    route,
    ...(session !== undefined && { session_id: session }),
    ...(thread !== undefined && { thread_id: thread }),
    tried: [...tried],
  }
  if (sent.is === 'failed') return { is: 'failed', ...common, reason: sent.reason }
  const { text, model, usage } = sent
  const result = { ...common, text, ...(model !== undefined && { model }), ...(usage && { usage }) }
  return { is: 'answered', result }
}

/** By priority, and otherwise as they are written. */
function inOrder(action: Action, ways: readonly Way[], role: string | undefined): readonly Way[] {
  const enabled = ways.filter((way) => way.enabled !== false)
  const fitting = role === undefined ? enabled : enabled.filter((way) => way.role === role)
  if (role !== undefined && fitting.length === 0) {
    throw new RpcError(
      errorCode.unavailable,
      `No way of ${action} has the role "${role}". Call list_routes to see them, and set_routes to add one.`,
    )
  }
  return byPriority(fitting)
}

export function byPriority(ways: readonly Way[]): readonly Way[] {
  return ways.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
}

/** A way that could not be reached is asked last: as long as another one answers, it is left alone. */
function restingLast(candidates: readonly Candidate[], health: Pick<Health, 'restOf'>): readonly Candidate[] {
  const rests = ({ key }: Candidate) => key !== undefined && health.restOf(key) !== undefined
  return [...candidates.filter((each) => !rests(each)), ...candidates.filter(rests)]
}

function nothingToAsk(action: Action, tried: readonly Tried[]): RpcError {
  const reasons = tried.map(({ way, reason = '' }) => `${way}: ${reason.replace(/\.$/, '')}`).join('; ')
  const why = reasons === '' ? 'None of its ways is enabled' : reasons
  const advice =
    action === 'search_web'
      ? 'Call set_routes to give it a connector with a search tool, a session whose agent can search, or a model of a provider that can.'
      : 'Call list_routes to see its ways, and set_routes to add one.'
  return new RpcError(errorCode.unavailable, `Nothing can answer ${action} now. ${why}. ${advice}`, {
    data: { action, tried },
  })
}

function millisecondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000
}
