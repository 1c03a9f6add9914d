/** The approvals that wait for the person at this keyboard, in the order they were asked; what was skipped comes last. */
import type { Approval } from '../api/approval.ts'

export interface ApprovalQueue {
  /** The one that is shown. It stays so until it is answered or skipped. */
  readonly current: Approval | undefined
  readonly size: number
  /** From nothing. */
  begin(pending: readonly Approval[]): void
  /** Tells how the current one ended, if it did. */
  take(changed: readonly Approval[]): Approval | undefined
  skip(): void
}

export function createApprovalQueue(): ApprovalQueue {
  let waiting: readonly Approval[] = []

  function take(changed: readonly Approval[]): Approval | undefined {
    const current = waiting[0]
    const fresh = changed.filter(({ id, status }) => status === 'pending' && !waiting.some((each) => each.id === id))
    const closed = new Set(changed.filter(({ status }) => status !== 'pending').map(({ id }) => id))
    waiting = [...waiting.filter(({ id }) => !closed.has(id)), ...fresh.toSorted(byTime)]
    return current && changed.find(({ id }) => id === current.id && closed.has(id))
  }

  return {
    get current() {
      return waiting[0]
    },
    get size() {
      return waiting.length
    },
    begin(pending) {
      waiting = []
      take(pending)
    },
    take,
    skip() {
      const [first, ...rest] = waiting
      if (first) waiting = [...rest, first]
    },
  }
}

function byTime(one: Approval, other: Approval): number {
  return one.requested_at.localeCompare(other.requested_at) || one.id.localeCompare(other.id)
}
