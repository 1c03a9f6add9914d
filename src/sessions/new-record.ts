/** The record of a session that is about to be stored for the first time: what is asked of it, and nothing yet done. */
import { defaultTerminalSettings } from '../api/terminal-tools.ts'
import { createIds } from './ids.ts'
import type { SessionRecord } from './session-store.ts'

type Asked =
  | 'name'
  | 'template'
  | 'command'
  | 'args'
  | 'sessionType'
  | 'backend'
  | 'description'
  | 'labels'
  | 'workspacePath'
  | 'size'
  | 'terminalTools'
  | 'socketName'

export type NewRecord = (asked: Pick<SessionRecord, Asked>) => SessionRecord

/** One for the hub: each record is later than the one before, however it came to be. */
export function createNewRecord(hubId: string): NewRecord {
  const ids = createIds()
  return (asked) => {
    const { id, createdAt } = ids.next()
    return {
      ...asked,
      id,
      hubId,
      status: 'starting',
      isStopAsked: false,
      terminalSettings: defaultTerminalSettings,
      tokenId: undefined,
      jobId: undefined,
      priority: 0,
      exitCode: undefined,
      exitSignal: undefined,
      lastMessage: undefined,
      activity: undefined,
      createdAt,
      startedAt: undefined,
      endedAt: undefined,
      updatedAt: createdAt,
    }
  }
}
