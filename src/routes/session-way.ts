/** A way that asks the agent of a session, or of one of the sessions with a label. */
import { agentPrompt } from '../api/action-prompt.ts'
import type { AskSession } from '../api/ask-session.ts'
import type { SessionWay } from '../api/route.ts'
import type { ActivityKind } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { ActionSession, ActionSessions, Attempt, Candidate, WayCall } from './route.ts'

export interface SessionWayOptions {
  readonly sessions: ActionSessions
  readonly askSession: AskSession
}

export function createSessionCandidates(
  { session: named }: SessionWay,
  options: SessionWayOptions,
): readonly Candidate[] {
  if (typeof named === 'string') return [createSessionCandidate(named, options)]
  const labelled = withLabel(named.label, options.sessions)
  if (labelled.length > 0) return labelled.map(({ id, name }) => createSessionCandidate(id, options, name))
  const reason = `No running session has the label "${named.label}".`
  return [{ name: `sessions with the label ${named.label}`, ask: async () => unavailable(reason) }]
}

export function createSessionCandidate(named: string, options: SessionWayOptions, shown = named): Candidate {
  const { sessions, askSession } = options

  /** Returns a text with the reason if the session cannot be asked. */
  async function find(): Promise<ActionSession | string> {
    try {
      const session = await sessions.find(named)
      return isOver(session.status)
        ? `The session "${session.name}" has ended. Call resume_session to continue it.`
        : session
    } catch (error) {
      if (error instanceof HubError) return error.message
      throw error
    }
  }

  async function ask({ action, input, place, signal, progress }: WayCall): Promise<Attempt> {
    const session = await find()
    if (typeof session === 'string') return unavailable(session)
    // The turn in which it asks would wait for itself.
    if (session.id === place.session) return unavailable(`"${session.name}" is the session that asks.`)
    const where = { route: `session:${session.name}`, session: session.id }
    try {
      const answered = await askSession({
        session: session.id,
        text: agentPrompt(action, input, place.session !== undefined),
        caller: place.session,
        correlation: place.correlation,
        event: place.parent,
        signal,
        onProgress: (message) => progress({ progress: 0, message }),
      })
      const {
        status,
        answer,
        reason = `Its turn was ${status} without an answer.`,
        usage,
        thread_id: thread,
      } = answered
      if (status !== 'completed' || answer === undefined) return { is: 'failed', reason, ...where, thread }
      return { is: 'answered', text: answer, ...where, thread, ...(usage && { usage }) }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof HubError)) throw error
      return wasDelivered(error) ? { is: 'failed', reason: error.message, ...where } : unavailable(error.message)
    }
  }

  return { name: `session ${shown}`, ask }
}

/**
 * False only if the prompt certainly did not arrive: the queue is full, the session has no agent, the chain of callers
 * is too long, or the agent did not take the prompt.
 */
function wasDelivered({ code, data }: HubError): boolean {
  return !(code === 'busy' || code === 'invalid' || data?.['chain'] !== undefined || data?.['delivered'] === false)
}

/** An idle agent answers soonest. An agent that waits for a person may never answer. */
const order: Readonly<Record<ActivityKind, number>> = { idle: 0, unknown: 1, working: 2, waiting: 3 }

function withLabel(label: string, sessions: ActionSessions): readonly ActionSession[] {
  const found = sessions.running().filter(({ labels }) => labels.includes(label))
  const readiness = (session: ActionSession) => order[sessions.activityOf(session).is]
  return found.toSorted((a, b) => b.priority - a.priority || readiness(a) - readiness(b))
}

function unavailable(reason: string): Attempt {
  return { is: 'unavailable', reason, isUnreachable: false }
}
