/** Keeps an activity from flapping: between two steps an agent looks idle for a moment, and nobody wants to hear of that. */
import type { Activity } from '../api/session.ts'

export interface Held {
  readonly activity: Activity
  /** It seems to be idle since then; that is said only if it lasts. */
  readonly candidate: { readonly since: number; readonly heldUntil: number } | undefined
}

const idleHoldMs = 3_000

export function hold({ activity, candidate }: Held, decided: Omit<Activity, 'since'>, now: number): Held {
  if (decided.is === activity.is) return { activity: { ...decided, since: activity.since }, candidate: undefined }
  const isHeld = decided.is === 'idle' && activity.is !== 'unknown' && decided.source !== 'exit'
  if (!isHeld) return { activity: { ...decided, since: toIso(now) }, candidate: undefined }
  const since = candidate?.since ?? now
  const heldUntil = since + idleHoldMs
  if (now < heldUntil) return { activity, candidate: { since, heldUntil } }
  return { activity: { ...decided, since: toIso(since) }, candidate: undefined }
}

function toIso(time: number): string {
  return new Date(time).toISOString()
}
