/** The lists that most views show, kept up to date. */
import type { Approval } from '../../src/api/approval.ts'
import type { Session } from '../../src/api/session.ts'
import type { Hub } from './hub.ts'
import { useLive } from './hub-context.tsx'
import type { Live } from './live-value.ts'

const sessionsUri = 'resource://sessions'
const pendingUri = 'resource://approvals/pending'

/** Older sessions than these are found with the command line. */
const mostSessions = 1_000

export function useSessions(): Live<readonly Session[]> {
  return useLive('sessions', readSessions)
}

function readSessions({ call }: Hub) {
  return {
    uris: [sessionsUri],
    // A hub with many sessions has many changes.
    everyMs: 200,
    async read(signal: AbortSignal) {
      const { sessions } = await call<{ sessions: readonly Session[] }>(
        'list_sessions',
        { limit: mostSessions },
        signal,
      )
      return sessions
    },
  }
}

/** Those that wait longest come first. */
export function usePendingApprovals(): Live<readonly Approval[]> {
  return useLive('approvals', ({ call }) => ({
    uris: [pendingUri],
    async read(signal) {
      const { approvals } = await call<{ approvals: readonly Approval[] }>('list_approvals', {}, signal)
      return approvals.toReversed()
    },
  }))
}

const answered = 50

export function useAnsweredApprovals(): Live<readonly Approval[]> {
  return useLive('answered', ({ call }) => ({
    uris: [pendingUri],
    async read(signal) {
      const args = { status: 'all', limit: answered }
      const { approvals } = await call<{ approvals: readonly Approval[] }>('list_approvals', args, signal)
      return approvals.filter(({ status }) => status !== 'pending')
    },
  }))
}
