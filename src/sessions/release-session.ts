/** The opposite of adopting: the hub releases a program in tmux, and the program keeps running there. */
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export interface ReleaseOptions {
  readonly registry: Pick<SessionRegistry, 'find'>
  readonly running: Pick<RunningSessions, 'started' | 'runOf' | 'settled'>
}

export type ReleaseSession = (record: SessionRecord) => Promise<SessionRecord>

export function createRelease({ registry, running }: ReleaseOptions): ReleaseSession {
  return async ({ id, name }) => {
    await running.started(id)
    const record = await registry.find(id)
    if (isOver(record.status)) throw new HubError('conflict', `"${name}" has ended: there is nothing to release.`)
    const run = await running.runOf(record)
    if (!run.release) {
      throw new HubError(
        'invalid',
        `"${name}" runs in a terminal of the hub and would end without it. Only a session in tmux can be released.`,
      )
    }
    await run.release()
    await running.settled(id)
    return registry.find(id)
  }
}
