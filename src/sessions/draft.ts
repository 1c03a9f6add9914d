/** From what was asked for to a record that can be stored and started, or to a sentence that says what would work. */
import type { TerminalSize } from '../api/session.ts'
import { defaultTerminalSettings } from '../api/terminal-tools.ts'
import { HubError } from '../base/hub-error.ts'
import { createIds } from './ids.ts'
import type { Launcher, TemplateSource } from './launch.ts'
import { chooseCommand } from './program.ts'
import type { SessionRecord } from './session-store.ts'
import type { SessionSpec } from './sessions.ts'
import { openWorkspace } from './workspace.ts'

export interface DraftOptions {
  readonly templates: TemplateSource
  readonly launcher: Launcher
  readonly hubId: string
  readonly defaultTemplate: string
  /** Where workspaces of their own are made. */
  readonly workspaces: string
}

export type DraftSession = (spec: SessionSpec) => Promise<SessionRecord>

const defaultSize: TerminalSize = { cols: 120, rows: 40 }

export function createDraft({ templates, launcher, hubId, defaultTemplate, workspaces }: DraftOptions): DraftSession {
  const ids = createIds()

  /** A command of one's own is none of the default agent's. */
  const templateFor = ({ command }: SessionSpec) => (command === undefined ? defaultTemplate : 'shell')

  return async (spec) => {
    const { template, available, whyNot } = templates.find(spec.template ?? templateFor(spec))
    if (!available && spec.command === undefined) {
      throw new HubError('unavailable', `The template "${template.name}" cannot be used here: ${whyNot}`)
    }
    const { id, createdAt } = ids.next()
    const line = chooseCommand(template, spec)
    const workspacePath = await openWorkspace({
      name: spec.name,
      workingDir: spec.workingDir ?? template.working_dir,
      worktree: spec.worktree ?? false,
      directory: workspaces,
    })
    launcher.check(template, { ...line, workspacePath })
    return {
      id,
      hubId,
      name: spec.name,
      template: template.name,
      command: line.command,
      args: line.args,
      sessionType: template.session_type,
      backend: template.backend,
      status: 'starting',
      isStopAsked: false,
      description: spec.description ?? (spec.command === undefined ? template.description : undefined),
      labels: spec.labels ?? [],
      workspacePath,
      size: spec.size ?? template.size ?? defaultSize,
      terminalTools: spec.tools ?? template.terminal_tools,
      terminalSettings: defaultTerminalSettings,
      socketName: spec.socketName ?? template.mcp_socket,
      tokenId: undefined,
      jobId: undefined,
      priority: 0,
      exitCode: undefined,
      exitSignal: undefined,
      lastMessage: undefined,
      createdAt,
      startedAt: undefined,
      endedAt: undefined,
      updatedAt: createdAt,
    }
  }
}
