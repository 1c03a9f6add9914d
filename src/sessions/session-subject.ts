/** A session as the terminal tools see it. */
import type { TerminalSettings } from '../api/terminal-tools.ts'
import type { Folder } from '../base/open-inside.ts'
import type { Run } from '../drivers/drivers.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionSubject {
  readonly id: string
  readonly name: string
  readonly workspacePath: string
  /** The directory when the session was created. `undefined`: an older release created it. */
  readonly workspaceFolder: Folder | undefined
  readonly run: Run
  /** The current settings. */
  readonly settings: TerminalSettings
  changeSettings(change: (settings: TerminalSettings) => TerminalSettings): Promise<void>
}

/** Throws if the session has no run. */
export async function toSubject(
  record: SessionRecord,
  { registry, running }: { readonly registry: SessionRegistry; readonly running: RunningSessions },
): Promise<SessionSubject> {
  const { id, name, workspacePath, workspaceFolder } = record
  return {
    id,
    name,
    workspacePath,
    workspaceFolder,
    run: await running.runOf(record),
    get settings() {
      return (running.knownRecordOf(id) ?? record).terminalSettings
    },
    async changeSettings(change) {
      await registry.change(id, ({ terminalSettings }) => ({ terminalSettings: change(terminalSettings) }))
    },
  }
}
