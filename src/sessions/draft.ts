/** From what was asked for to a record that can be stored and started, or to a sentence that says what would work. */
import type { ConnectorUse, LegacyMcps } from '../api/connector.ts'
import type { TerminalSize } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { ProgramEnvironment } from '../config/config.ts'
import type { Launcher, TemplateSource } from './launch.ts'
import type { NewRecord } from './new-record.ts'
import { chooseCommand } from './program.ts'
import type { SessionRecord } from './session-store.ts'
import { planWorkspace } from './workspace.ts'

export interface SessionSpec {
  readonly name: string
  readonly template?: string | undefined
  readonly prompt?: string | undefined
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly workingDir?: string | undefined
  readonly worktree?: boolean | undefined
  readonly env?: ProgramEnvironment | undefined
  readonly description?: string | undefined
  readonly size?: TerminalSize | undefined
  readonly tools?: readonly string[] | undefined
  readonly labels?: readonly string[] | undefined
  readonly socketName?: string | undefined
  readonly connectors?: readonly ConnectorUse[] | undefined
  readonly mcps?: LegacyMcps | undefined
  readonly policy?: string | undefined
  /** Who asks for it, for the record. */
  readonly by?: string | undefined
}

export interface DraftOptions {
  readonly templates: TemplateSource
  readonly launcher: Launcher
  readonly newRecord: NewRecord
  readonly defaultTemplate: string
  /** Where workspaces of their own are made. */
  readonly workspaces: string
  readonly environment: ProgramEnvironment
}

export type DraftSession = (spec: SessionSpec) => Promise<SessionRecord>

const defaultSize: TerminalSize = { cols: 120, rows: 40 }

export function createDraft(options: DraftOptions): DraftSession {
  const { templates, launcher, newRecord, defaultTemplate, workspaces, environment } = options

  /** A command of one's own is none of the default agent's. */
  const templateFor = ({ command }: SessionSpec) => (command === undefined ? defaultTemplate : 'shell')

  return async (spec) => {
    const { template, available, whyNot } = templates.find(spec.template ?? templateFor(spec))
    if (!available && spec.command === undefined) {
      throw new HubError('unavailable', `The template "${template.name}" cannot be used here: ${whyNot}`)
    }
    const line = chooseCommand(template, spec)
    const workspace = await planWorkspace({
      name: spec.name,
      workingDir: spec.workingDir ?? template.working_dir,
      worktree: spec.worktree ?? false,
      directory: workspaces,
      env: environment,
    })
    const workspacePath = workspace.path
    launcher.check(template, { ...line, workspacePath })
    await workspace.make()
    return newRecord({
      name: spec.name,
      template: template.name,
      command: line.command,
      args: line.args,
      sessionType: template.session_type,
      backend: template.backend,
      description: spec.description,
      labels: spec.labels ?? [],
      workspacePath,
      size: spec.size ?? template.size ?? defaultSize,
      terminalTools: spec.tools ?? template.terminal_tools,
      socketName: spec.socketName ?? template.mcp_socket,
    })
  }
}
