/** The part of a session that its terminal tools need. */
import type { TerminalModule, TerminalSettings } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import type { Run } from '../drivers/drivers.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface ToolTarget {
  readonly id: string
  readonly name: string
  readonly workspacePath: string
  /** The folder as it was when the session was created; `undefined` if an earlier hub created it. */
  readonly workspaceFolder: Folder | undefined
  readonly terminal: Terminal
  /** The current settings. The session keeps them in the store. */
  readonly settings: TerminalSettings
  /** Changes are applied one after another. In effect when it resolves. */
  changeSettings(change: (settings: TerminalSettings) => TerminalSettings): Promise<void>
}

/** Finds a session by name or id. Throws if there is none, or if it has no terminal. */
export type FindTarget = (session: string) => Promise<ToolTarget>

/** A session that may have a terminal. */
export interface TargetSession extends Omit<ToolTarget, 'terminal'> {
  readonly run: Pick<Run, 'terminal'>
}

export function toTarget(session: TargetSession): ToolTarget {
  const { id, name, workspacePath, workspaceFolder, run } = session
  if (!run.terminal) throw new HubError('invalid', `The session "${name}" has no terminal.`)
  return {
    id,
    name,
    workspacePath,
    workspaceFolder,
    terminal: run.terminal,
    get settings() {
      return session.settings
    },
    changeSettings: (change) => session.changeSettings(change),
  }
}

export function assertModule({ settings }: ToolTarget, module: TerminalModule): void {
  if (settings.modules[module]) return
  throw new HubError(
    'unavailable',
    `The ${module} module of this session is off. To switch it on, call toggle_module with name "${module}" and enabled true.`,
  )
}

/** The program has ended, and all its output is on the screen. */
export function hasEnded({ screen, status, offset }: Terminal): boolean {
  return status.is !== 'running' && screen.offset >= offset
}

/** The title that a person set, else the title that the program set, else the name of the session. */
export function titleOf({ settings, terminal, name }: ToolTarget): string {
  return settings.title || terminal.screen.title || name
}
