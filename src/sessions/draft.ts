/** Turns a request into a record that can be stored and started, or throws an error that says what would work. */
import type { ConnectorUse, LegacyMcps } from '../api/connector.ts'
import type { SandboxChoice } from '../api/sandbox.ts'
import type { SessionMode, TerminalSize } from '../api/session.ts'
import type { AvailableTemplate, Template } from '../api/template.ts'
import { argumentLists, inMode, modelTemplateSchema, modesOf } from '../api/template.ts'
import { HubError } from '../base/hub-error.ts'
import type { PersonsEnvironment, ProgramEnvironment } from '../config/config.ts'
import type { Driver, Drivers } from '../drivers/drivers.ts'
import { beginConversation } from './conversation.ts'
import type { Launcher } from './launch.ts'
import type { TemplateSource } from './template-source.ts'
import type { NewRecord } from './new-record.ts'
import { defaultSize } from './new-record.ts'
import { chooseCommand, isOfTemplate } from './program.ts'
import type { SessionRecord } from './session-store.ts'
import type { ScriptRunner } from '../git/git.ts'
import { planWorkspace } from './workspace.ts'
import type { Worktrees } from './worktrees.ts'

export interface SessionSpec {
  readonly name: string
  readonly template?: string | undefined
  readonly prompt?: string | undefined
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  /** Flags for the agent of the template. */
  readonly agentArgs?: readonly string[] | undefined
  readonly mode?: SessionMode | undefined
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
  /** Replaces that of the template. */
  readonly sandbox?: SandboxChoice | undefined
  /** For the built-in agent; another agent gets it as a flag. */
  readonly model?: string | undefined
  readonly continues?: ContinuedThread | undefined
  /** Who made the request, for the record. */
  readonly by?: string | undefined
  readonly from?: PromptOrigin | undefined
}

/** The call that gives the first prompt, and the event that records it. */
export interface PromptOrigin {
  readonly correlation: string
  readonly event?: string | undefined
}

/** A thread that another agent began. */
export interface ContinuedThread {
  readonly thread: string
  /** The id of the session before, whose policy and connectors the new one gets. */
  readonly session?: string | undefined
}

export interface DraftOptions {
  readonly drivers: Drivers
  readonly templates: TemplateSource
  readonly launcher: Launcher
  readonly newRecord: NewRecord
  readonly defaultTemplate: string
  /** The directory for workspaces that the hub makes. */
  readonly workspaces: string
  readonly environment: PersonsEnvironment
  readonly run: ScriptRunner
  readonly worktrees: Pick<Worktrees, 'hold' | 'note'>
}

/**
 * The template may change at any time, so everything a session takes from it before its start comes from one read. Until
 * the draft is disposed of, no worktree is removed from under it.
 */
export interface Draft extends Disposable {
  readonly record: SessionRecord
  readonly found: AvailableTemplate
}

export type DraftSession = (spec: SessionSpec) => Promise<Draft>

export function createDraft(options: DraftOptions): DraftSession {
  const { drivers, templates, launcher, newRecord, defaultTemplate, workspaces, environment, run, worktrees } = options

  /** A custom command does not belong to the default agent. */
  const templateFor = ({ command }: SessionSpec) => (command === undefined ? defaultTemplate : 'shell')

  return async (spec) => {
    const found = templates.find(spec.template ?? templateFor(spec))
    const mode = modeFor(found.template, spec)
    const template = inMode(found.template, mode)
    const driver = drivers.find(template.driver)
    const { model, agentArgs } = forAgent(template, spec)
    const whyNot = model === undefined ? found.whyNot : whyNotModel(driver, template, model)
    if (whyNot !== undefined && spec.command === undefined) {
      throw new HubError(
        'unavailable',
        `The template "${template.name}" cannot be used here (call list_templates for those that can): ${whyNot}`,
      )
    }
    const line = chooseCommand(template, spec)
    const isAgent = isOfTemplate(line, template)
    if (agentArgs.length > 0 && !(isAgent && takesAgentArgs(template))) throw refusesFlags(template)
    const env = await environment.forPrograms()
    const workspace = await planWorkspace({
      name: spec.name,
      workingDir: spec.workingDir ?? template.working_dir,
      worktree: spec.worktree ?? false,
      directory: workspaces,
      run,
    })
    const workspacePath = workspace.path
    launcher.check(template, { ...line, workspacePath, env })
    const confined = await launcher.confinedBy(found, { sandbox: spec.sandbox, backend: template.backend })
    using held = new DisposableStack()
    held.use(worktrees.hold(workspacePath))
    const made = await workspace.make()
    if (made.worktree) await worktrees.note(workspacePath, made.worktree, template)
    const { sandbox } = spec
    const workspaceFolder = await launcher.folderOf(found, { sandbox, backend: template.backend, workspacePath })
    const record = newRecord({
      name: spec.name,
      template: template.name,
      command: line.command,
      args: line.args,
      sessionType: template.session_type,
      driver: driver.name,
      mode,
      backend: template.backend,
      description: spec.description,
      labels: spec.labels ?? [],
      workspacePath,
      workspaceFolder,
      size: spec.size ?? template.size ?? defaultSize,
      terminalTools: spec.tools ?? template.terminal_tools,
      socketName: spec.socketName ?? template.mcp_socket,
      agentArgs,
      conversation: isAgent ? beginConversation(template, agentArgs) : undefined,
      resumedFrom: spec.continues?.session,
      model,
      sandbox,
      confined,
    })
    const holding = held.move()
    return { record: { ...record, lastMessage: made.note }, found, [Symbol.dispose]: () => holding.dispose() }
  }
}

function modeFor(template: Template, { mode = template.mode, command }: SessionSpec): SessionMode {
  // A custom command is not the agent, so only its terminal is of use.
  if (command !== undefined) return 'terminal'
  const modes = modesOf(template)
  if (modes.includes(mode)) return mode
  throw new HubError('invalid', `"mode": the template "${template.name}" can run in: ${modes.join(', ')}.`)
}

/** The hub chooses the model of the built-in agent itself. Other agents take theirs by a flag. */
function forAgent({ driver }: Template, { model, agentArgs = [] }: SessionSpec) {
  if (model === undefined || driver === 'model') return { model, agentArgs }
  return { model: undefined, agentArgs: [...agentArgs, '--model', model] }
}

function whyNotModel(driver: Driver, template: Template, name: string): string | undefined {
  return driver.whyNot?.({ ...template, model: modelTemplateSchema.parse({ ...template.model, name }) })
}

function takesAgentArgs({ args = [] }: Template): boolean {
  return args.includes(argumentLists.agentArgs)
}

function refusesFlags({ name }: Template): HubError {
  return new HubError(
    'invalid',
    `"agent_args": the template "${name}" does not take flags here. Leave out "command" and "args", or put "${argumentLists.agentArgs}" into the args of the template.`,
  )
}
