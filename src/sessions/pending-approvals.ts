/**
 * A session counts as waiting while a call of its agent waits for an approval, even if its screen shows something else.
 * Its own activity shows again when the last approval has ended, and while no client waits for an answer.
 */
import type { PendingApprovals } from '../api/approval.ts'
import type { Activity } from '../api/session.ts'
import type { HeldActivity } from '../drivers/drivers.ts'

export interface PendingCalls {
  note(session: string, pending: PendingApprovals): void
  countOf(session: string): number
  /** `undefined`: no call of the session waits. */
  activityOf(session: string): Activity | undefined
  /** The same, but only while the call is held. After the hold the agent has moved on and can be typed to. */
  heldOf(session: string): HeldActivity | undefined
}

const longestTool = 100

export function createPendingCalls(): PendingCalls {
  const waiting = new Map<string, PendingApprovals & { readonly activity: Activity; readonly approval: string }>()
  return {
    note(session, pending) {
      const { count, oldest } = pending
      if (!oldest) return void waiting.delete(session)
      const { id: approval, tool, requestedAt: since } = oldest
      const reason = `approval: ${cleaned(tool)}${count > 1 ? ` and ${count - 1} more` : ''}`
      const activity: Activity = { is: 'waiting', since, reason, source: 'approval', confidence: 1 }
      waiting.set(session, { ...pending, activity, approval })
    },
    countOf: (session) => waiting.get(session)?.count ?? 0,
    activityOf(session) {
      const { activity, isDeserted } = waiting.get(session) ?? {}
      return isDeserted?.() ? undefined : activity
    },
    heldOf(session) {
      const { activity, approval, isHeld } = waiting.get(session) ?? {}
      return activity && approval !== undefined && isHeld?.() ? { ...activity, approval } : undefined
    },
  }
}

/** Upstreams choose the names of their tools, and terminals show them. */
function cleaned(tool: string): string {
  const shown = tool.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
  return shown.length > longestTool ? `${shown.slice(0, longestTool)}…` : shown
}
