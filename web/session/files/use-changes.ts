/** The changes in the workspace. They are read again when the agent has done something. */
import type { Changes } from '../../../src/api/changes.ts'
import type { Session } from '../../../src/api/session.ts'
import { useLive } from '../../hub/hub-context.tsx'

export function useChanges({ id, thread }: Session) {
  return useLive<Changes>(`changes:${id}:${thread ?? ''}`, ({ call }) => ({
    uris: [`resource://sessions/${id}`, ...(thread === undefined ? [] : [`resource://threads/${thread}`])],
    // The hub looks at all files of the workspace.
    everyMs: 3_000,
    read: (signal) => call<Changes>('read_changes', { session: id }, signal),
  }))
}
