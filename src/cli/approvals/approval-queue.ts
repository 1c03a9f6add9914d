/** The approvals that wait for the person at this keyboard, oldest first. A skipped one moves to the end. */
import type { Approval } from '../../api/approval.ts'

export interface ApprovalQueue {
  /** The approval on the screen. It stays there until it is answered or skipped. */
  readonly current: Approval | undefined
  readonly size: number
  /** Replaces the queue. */
  reset(pending: readonly Approval[]): void
  /** Applies changes. Returns the current approval if it is no longer pending. */
  update(changed: readonly Approval[]): Approval | undefined
  skip(): void
}

export function createApprovalQueue(): ApprovalQueue {
  let waiting: readonly Approval[] = []

  function update(changed: readonly Approval[]): Approval | undefined {
    const current = waiting[0]
    const added = changed.filter(({ id, status }) => status === 'pending' && !waiting.some((each) => each.id === id))
    const closed = new Set(changed.filter(({ status }) => status !== 'pending').map(({ id }) => id))
    waiting = [...waiting.filter(({ id }) => !closed.has(id)), ...added.toSorted(byTime)]
    return current && changed.find(({ id }) => id === current.id && closed.has(id))
  }

  return {
    get current() {
      return waiting[0]
    },
    get size() {
      return waiting.length
    },
    reset(pending) {
      waiting = []
      update(pending)
    },
    update,
    skip() {
      const [first, ...rest] = waiting
      if (first) waiting = [...rest, first]
    },
  }
}

function byTime(one: Approval, other: Approval): number {
  return one.requested_at.localeCompare(other.requested_at) || one.id.localeCompare(other.id)
}
