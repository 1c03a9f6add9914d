/** Makes the first record of a session, from the request. */
import type { TerminalSize } from '../api/session.ts'
import { defaultTerminalSettings } from '../api/terminal-tools.ts'
import { type Folder, folderAt } from '../base/open-inside.ts'
import { createIds } from './ids.ts'
import type { SessionRecord } from './session-store.ts'

export const defaultSize: TerminalSize = { cols: 120, rows: 40 }

type Requested =
  | 'name'
  | 'template'
  | 'command'
  | 'args'
  | 'sessionType'
  | 'driver'
  | 'backend'
  | 'description'
  | 'labels'
  | 'workspacePath'
  | 'size'
  | 'terminalTools'
  | 'socketName'

type Agents =
  | 'workspaceFolder'
  | 'agentArgs'
  | 'conversation'
  | 'mode'
  | 'model'
  | 'resumedFrom'
  | 'sandbox'
  | 'confined'

export type NewRecord = (
  requested: Pick<SessionRecord, Requested> & Partial<Pick<SessionRecord, Agents>>,
) => SessionRecord

/** One per hub, so that each record is later than the one before. */
export function createNewRecord(hubId: string): NewRecord {
  const ids = createIds()
  return (requested) => {
    const { id, createdAt } = ids.next()
    return {
      agentArgs: [],
      mode: 'terminal',
      conversation: undefined,
      resumedFrom: undefined,
      model: undefined,
      sandbox: undefined,
      confined: undefined,
      ...requested,
      workspaceFolder: requested.workspaceFolder ?? findFolder(requested.workspacePath),
      id,
      hubId,
      status: 'starting',
      isStopAsked: false,
      terminalSettings: defaultTerminalSettings,
      tokenId: undefined,
      jobId: undefined,
      prompt: undefined,
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

function findFolder(path: string): Folder | undefined {
  try {
    return folderAt(path)
  } catch {
    return undefined
  }
}
