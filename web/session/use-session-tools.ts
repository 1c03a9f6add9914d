/** The tools that the agent of a session sees now. */
import type { Effect } from '../../src/api/policy.ts'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { useLive } from '../hub/hub-context.tsx'

export interface SeenTool {
  readonly name: string
  readonly mount: string
  readonly description?: string
  /** Absent if it depends on the arguments. */
  readonly policy?: Effect
}

interface SessionTools {
  readonly tools: readonly SeenTool[]
  /** Mounts whose tools are missing, and why. */
  readonly missing?: readonly { readonly mount: string; readonly state: string; readonly error?: string }[]
}

/** A session that is over has none. */
export function useSessionTools({ id, status }: Session) {
  const isEnded = isOver(status)
  return useLive<SessionTools>(`tools:${id}:${isEnded}`, ({ call }) => ({
    uris: [`resource://sessions/${id}`, `resource://sessions/${id}/mcp`, 'resource://policies'],
    everyMs: 2_000,
    read: async (signal) =>
      isEnded ? { tools: [] } : call<SessionTools>('list_session_tools', { session: id }, signal),
  }))
}
