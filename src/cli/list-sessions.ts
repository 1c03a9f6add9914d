import type { Session } from '../api/session.ts'
import { sessionSchema } from '../api/session.ts'
import type { HubConnection } from './hub-client.ts'
import { listAll } from './list-all.ts'

/** All of them, the newest first. */
export function listSessions(
  hub: HubConnection,
  filter: Readonly<Record<string, unknown>> = {},
): Promise<readonly Session[]> {
  return listAll(hub, { tool: 'list_sessions', name: 'sessions', item: sessionSchema }, filter)
}
