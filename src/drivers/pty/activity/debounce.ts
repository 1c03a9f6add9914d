/** Debounces an activity: between two steps an agent looks idle for a moment, which would only disturb people. */
import type { Activity } from '../../../api/session.ts'

export interface Debounced {
  readonly activity: Activity
  /** It seems to have stopped. That counts only if it lasts. */
  readonly pause: { readonly since: number; readonly endsAt: number } | undefined
}

const debounceMs = 3_000

export function debounce({ activity, pause }: Debounced, classified: Omit<Activity, 'since'>, now: number): Debounced {
  if (classified.is === activity.is) return { activity: { ...classified, since: activity.since }, pause: undefined }
  if (!isPause(activity, classified)) return { activity: { ...classified, since: toIso(now) }, pause: undefined }
  const since = pause?.since ?? now
  const endsAt = since + debounceMs
  if (now < endsAt) return { activity, pause: { since, endsAt } }
  return { activity: { ...classified, since: toIso(since) }, pause: undefined }
}

/** It looks idle, or matches no rule, as a screen does while it is redrawn. */
function isPause(activity: Activity, { is, source }: Omit<Activity, 'since'>): boolean {
  return (is === 'idle' || is === 'unknown') && activity.is !== 'unknown' && source !== 'exit'
}

function toIso(time: number): string {
  return new Date(time).toISOString()
}
