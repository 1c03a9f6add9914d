/**
 * The terminal tools: reading a terminal, typing into it, waiting for it. People have all of them, for every session.
 * The agent of a session has those that are switched on for it, for its own terminal.
 */
import type { TerminalToolName } from '../api/terminal-tools.ts'
import { terminalToolNames } from '../api/terminal-tools.ts'
import type { WaitInput, WaitOutput } from '../api/wait.ts'
import type { SessionStatus } from '../api/session.ts'
import type { Feature } from '../feature/feature.ts'
import type { Call, Provider } from '../mcp/mcp.ts'
import { createInputTools } from './input-tools.ts'
import { listModules, toggleModule } from './module-tools.ts'
import { createOutputTool } from './output-tool.ts'
import { readRecording } from './recording-tool.ts'
import { getForegroundProcess, getPtyInfo, getWorkingDirectory, isShellIdle } from './process-tools.ts'
import { getCellAttributes, getCursorPosition, readScreen } from './screen-tools.ts'
import { saveScreenshot, screenshot } from './screenshot-tools.ts'
import { readScrollback, searchScrollback } from './scrollback-tools.ts'
import type { FindTarget, TargetSession } from './tool-target.ts'
import { toTarget } from './tool-target.ts'
import { listDetectedUrls } from './url-tools.ts'
import type { Viewers } from './viewers.ts'
import { checkCondition } from './wait.ts'
import type { WaitDeps } from './wait-tool.ts'
import { createRunWait, createWaitTool } from './wait-tool.ts'
import { whileOn } from './while-on.ts'
import { createWindowTools } from './window-tools.ts'

export type { TargetSession } from './tool-target.ts'
export { createViewers } from './viewers.ts'

/** For people, each tool takes `session` first. */
export interface TerminalTools extends Feature {
  /** For the agent of one session: without `session`, and only the tools that are on at the moment. */
  ownProvider(options: OwnProviderOptions): Provider
  /** The implementation of wait_for, for tools that offer the same under another name. */
  wait(session: string, input: WaitInput, call: Call): Promise<WaitOutput>
  /** Throws if the condition is invalid. */
  checkWait(input: Pick<WaitInput, 'for' | 'value'>): Promise<void>
}

export interface OwnProviderOptions {
  /** The id of the session. */
  readonly session: string
  /** The prefix of the tool names: `terminal_` in a compositor, empty on a socket of the session. */
  readonly prefix: string
}

export interface TerminalToolsDeps {
  readonly sessions: TerminalSessions
  readonly viewers: Viewers
}

export interface TerminalSessions {
  /** Finds a session by name or id. Throws if there is none. */
  subject(session: string): Promise<TargetSession>
  statusOf(id: string): SessionStatus | Promise<SessionStatus>
  /** `undefined` if the activity is unknown. */
  activityView(id: string, asSeenBy: 'others' | 'agent'): ReturnType<WaitDeps['activityOf']>
  /** The tools that are on for the agent of a session. */
  toolsOf(id: string): readonly string[]
  /** Called when they may have changed. Returns a function that unsubscribes. */
  onChange(id: string, listener: () => void): () => void
}

const toolset = 'terminal'

export function createTerminalTools({ sessions, viewers }: TerminalToolsDeps): TerminalTools {
  const find: FindTarget = async (session) => {
    const target = toTarget(await sessions.subject(session))
    await target.terminal.draw()
    return target
  }
  const runWait = createRunWait({
    activityOf: (id, asSeenBy) => sessions.activityView(id, asSeenBy),
    statusOf: (id) => sessions.statusOf(id),
  })
  const tools = [
    readScreen,
    readScrollback,
    searchScrollback,
    getCursorPosition,
    getCellAttributes,
    getForegroundProcess,
    getWorkingDirectory,
    isShellIdle,
    getPtyInfo,
    listDetectedUrls,
    listModules,
    toggleModule,
    ...createWindowTools(viewers),
    ...createInputTools(viewers),
    screenshot,
    saveScreenshot,
    createWaitTool(runWait),
    createOutputTool(viewers),
    readRecording,
  ]
  const forPeople = tools.map((tool) => tool.forPeople(find))
  const byName = new Map(tools.map((tool) => [tool.name, tool]))

  function ownProvider({ session, prefix }: OwnProviderOptions): Provider {
    const isOn = (name: TerminalToolName) => sessions.toolsOf(session).includes(name)
    const ownTool = (name: TerminalToolName) =>
      whileOn(
        byName.get(name)!.forAgent(() => find(session), prefix),
        {
          isOn: () => isOn(name),
          onChange: (listener) => sessions.onChange(session, listener),
        },
      )
    // Created once: the endpoint caches the description of a tool by its object.
    const own = terminalToolNames.map((name) => ({
      name,
      // For a policy it is the same tool, whatever its prefix.
      tool: { ...ownTool(name), subject: { tool: `terminal_${name}` } },
    }))
    return { toolset, tools: () => own.filter(({ name }) => isOn(name)).map(({ tool }) => tool) }
  }

  return {
    providers: [{ toolset, tools: () => forPeople }],
    providersOf: (session) => [ownProvider({ session, prefix: 'terminal_' })],
    ownProvider,
    wait: async (session, input, call) => runWait(await find(session), input, call),
    checkWait: checkCondition,
  }
}
