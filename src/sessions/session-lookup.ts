/** Finds the record of a session. It needs only the store, so every feature can use it. */
import { HubError } from '../base/hub-error.ts'
import type { Store } from '../store/store.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'
import { createSessionStore } from './session-store.ts'

/** By name or id; a name means the newest. Throws if there is no such session. */
export type FindSession = (nameOrId: string) => Promise<SessionRecord>

export function createFindSession(store: Store): FindSession {
  return findIn(createSessionStore(store))
}

export function findIn(rows: Pick<SessionStore, 'findNamed'>): FindSession {
  return async (nameOrId) => {
    const record = await rows.findNamed(nameOrId)
    if (record) return record
    throw new HubError('not-found', `There is no session "${nameOrId}". Call list_sessions for the names.`)
  }
}
