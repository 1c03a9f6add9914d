/** A session in the words of the page. */
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { dollars } from './amounts.ts'

export type SessionState = 'waiting' | 'working' | 'idle' | 'ended' | 'failed' | 'starting' | 'unknown'

export const stateWords: Readonly<Record<SessionState, string>> = {
  waiting: 'Waiting for you',
  working: 'Working',
  idle: 'Idle',
  ended: 'Ended',
  failed: 'Failed',
  starting: 'Starting',
  unknown: 'Unknown',
}

export function stateOf({ status, activity, approvals_pending: pending }: Session): SessionState {
  if (status === 'failed') return 'failed'
  if (isOver(status)) return 'ended'
  if (status !== 'running') return 'starting'
  return pending > 0 ? 'waiting' : activity.is
}

/** Without a connection it is not known whether a session still works. One that waits still waits. */
export function shownState(session: Session, isLost: boolean): SessionState {
  const state = stateOf(session)
  return isLost && state === 'working' ? 'unknown' : state
}

/** Those that wait come first, then those that work, then the rest. */
const order: readonly SessionState[] = ['waiting', 'starting', 'working', 'unknown', 'idle', 'failed', 'ended']

/** Of those that wait, the one that has waited longest comes first; of the others, the newest. */
export function byUrgency(one: Session, other: Session): number {
  const state = stateOf(one)
  const difference = order.indexOf(state) - order.indexOf(stateOf(other))
  if (difference !== 0) return difference
  if (state === 'waiting') return one.activity.since < other.activity.since ? -1 : 1
  return one.created_at < other.created_at ? 1 : -1
}

/** The words of the agent, or the reason of its activity, in one line. */
export function lastLine(session: Session): string {
  const { activity, last_message: message, description } = session
  if (isOver(session.status)) return message ?? howItEnded(session)
  if (session.question) return session.question.text
  return activity.reason ?? message ?? description ?? ''
}

export function howItEnded({ exit_code: code, signal }: Session): string {
  if (signal) return `ended by ${signal}`
  return code === undefined ? '' : `exit code ${code}`
}

/** The branch it works on; without one the folder, unless the hub made one for it. */
export function placeOf({ workspace_path: path, branch, name }: Session): string {
  if (branch !== undefined) return branch
  const folder = path.split('/').findLast((part) => part !== '') ?? ''
  return folder === name ? '' : folder
}

/** `$2.41`; empty if the cost is unknown. */
export function costOf({ usage }: Session): string {
  return usage?.cost_usd === undefined ? '' : dollars(usage.cost_usd)
}

/** A name means its newest session, which is listed first. The others are addressed by id. */
export function addressOf(session: Session, all: readonly Session[]): string {
  return all.find(({ name }) => name === session.name)?.id === session.id ? session.name : session.id
}
