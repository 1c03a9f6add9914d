import type { Session } from '../../api/session.ts'
import { isRecord } from '../../base/is-record.ts'
import { CliError } from '../command/cli-error.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { listAll } from '../hub-client/list-all.ts'

/** Lists all sessions: first those that wait for a person, then the newest. */
export function listSessions(
  hub: HubClient,
  filter: Readonly<Record<string, unknown>> = {},
): Promise<readonly Session[]> {
  return listAll(hub, { tool: 'list_sessions', name: 'sessions', read: readSessions }, filter)
}

/** Checks only the fields in use, without the schema: zod would take longer to load than `ls` takes to run. */
function readSessions(items: unknown): readonly Session[] {
  if (Array.isArray(items) && items.every(isSession)) return items
  throw new CliError(
    'failed',
    'The hub answered without a list of sessions. Is it another version? Compare "signalbox status" with "signalbox --version".',
  )
}

function isSession(item: unknown): item is Session {
  if (!isRecord(item)) return false
  const { id, name, template, status, updated_at: updatedAt, activity, size } = item
  const texts = [id, name, template, status, updatedAt]
  return texts.every((text) => typeof text === 'string') && isRecord(activity) && isRecord(size)
}
