import { z } from 'zod'
import type { Session } from '../api/session.ts'
import { sessionSchema } from '../api/session.ts'
import { ask } from './ask-hub.ts'
import type { HubConnection } from './hub-client.ts'

const page = z.object({ sessions: z.array(sessionSchema), next_cursor: z.string().optional() })

/** All of them, the newest first. */
export async function listSessions(
  hub: HubConnection,
  filter: Readonly<Record<string, unknown>> = {},
): Promise<readonly Session[]> {
  const found: Session[] = []
  let cursor: string | undefined
  do {
    const input = { ...filter, limit: 1_000, ...(cursor !== undefined && { cursor }) }
    const { sessions, next_cursor } = page.parse(await ask(hub, 'list_sessions', input))
    found.push(...sessions)
    cursor = next_cursor
  } while (cursor !== undefined)
  return found
}
