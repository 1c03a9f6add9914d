/** What the tools need to know of a session. */
import type { TerminalModule, TerminalSettings } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface Subject {
  readonly id: string
  readonly name: string
  readonly workspacePath: string
  readonly terminal: Terminal
  /** As they are now. Kept by the session, in the store. */
  readonly settings: TerminalSettings
  /** One after another, each on top of the last. In effect when it resolves. */
  changeSettings(change: (settings: TerminalSettings) => TerminalSettings): Promise<void>
}

/** By name or id. Throws where there is no such session, or it has no terminal. */
export type FindSubject = (session: string) => Promise<Subject>

export function assertModule({ settings }: Subject, module: TerminalModule): void {
  if (settings.modules[module]) return
  throw new HubError(
    'unavailable',
    `The ${module} module of this session is off: toggle_module with name "${module}" and enabled true switches it on.`,
  )
}

/** Its program has ended, and all it printed is on the screen. */
export function hasEnded({ screen, life, offset }: Terminal): boolean {
  return life.is !== 'running' && screen.offset >= offset
}

/** The title that was set by hand, else its program's, else the session's name. */
export function titleOf({ settings, terminal, name }: Subject): string {
  return settings.title || terminal.screen.title || name
}
