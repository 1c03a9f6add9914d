/** The questions for a person, as notifications. One question always has the same key. */
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import { stateOf } from '../parts/session-state.ts'
import type { Kind } from './preferences.ts'

export interface Question {
  readonly kind: Kind
  /** Each is shown once. */
  readonly key: string
  readonly message: Message
}

/** The same fields as the push messages of the hub. Both have the same tag, so a browser that gets both shows one. */
interface Message {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly path: string
}

export function questionsOf(approvals: readonly Approval[], sessions: readonly Session[]): readonly Question[] {
  return [...approvals.map(ofApproval), ...sessions.flatMap(ofSession)]
}

function ofApproval({ id, session, tool }: Approval): Question {
  const tag = `approval:${id}`
  const message = { title: session, body: `Wants to call ${tool}`, tag, path: `approvals/${id}` }
  return { kind: 'approval', key: tag, message }
}

function ofSession(session: Session): readonly Question[] {
  const { id, name, activity } = session
  const path = `terminal/${name}`
  switch (stateOf(session)) {
    case 'waiting': {
      // An approval is a question of its own.
      if (session.approvals_pending > 0 || activity.source === 'approval') return []
      const message = { title: name, body: 'Waits for you', tag: `session:${id}`, path }
      return [{ kind: 'question', key: `session:${id}:${activity.since}`, message }]
    }
    case 'failed': {
      const tag = `failed:${id}`
      return [{ kind: 'failure', key: tag, message: { title: name, body: 'Has failed', tag, path } }]
    }
    case 'working':
    case 'idle':
    case 'ended':
    case 'starting':
    case 'unknown':
      return []
  }
}
