/** Keeps an activity from flapping: between two steps an agent looks idle for a moment, and nobody wants to hear of that. */
import type { Activity } from '../api/session.ts'

export interface Held {
  readonly activity: Activity
  /** It seems to have stopped then; that is said only if it lasts. */
  readonly pause: { readonly since: number; readonly heldUntil: number } | undefined
}

const pauseHoldMs = 3_000

export function hold({ activity, pause }: Held, decided: Omit<Activity, 'since'>, now: number): Held {
  if (decided.is === activity.is) return { activity: { ...decided, since: activity.since }, pause: undefined }
  if (!isPause(activity, decided)) return { activity: { ...decided, since: toIso(now) }, pause: undefined }
  const since = pause?.since ?? now
  const heldUntil = since + pauseHoldMs
  if (now < heldUntil) return { activity, pause: { since, heldUntil } }
  return { activity: { ...decided, since: toIso(since) }, pause: undefined }
}

/** It looks idle, or like nothing known, as screens do while they are drawn anew. */
function isPause(activity: Activity, { is, source }: Omit<Activity, 'since'>): boolean {
  return (is === 'idle' || is === 'unknown') && activity.is !== 'unknown' && source !== 'exit'
}

function toIso(time: number): string {
  return new Date(time).toISOString()
}
