/**
 * The terminal tools: reading a terminal, typing into it, waiting for it. People have them all, for every session; the
 * agent of a session has those that were switched on for it, for its own terminal.
 */
import type { TerminalToolName } from '../api/terminal-tools.ts'
import { terminalToolNames } from '../api/terminal-tools.ts'
import type { WaitInput } from '../api/wait.ts'
import type { Provider } from '../mcp/mcp.ts'
import { createInputTools } from './input-tools.ts'
import { listModules, toggleModule } from './module-tools.ts'
import { createOutputTool } from './output-tool.ts'
import { getForegroundProcess, getPtyInfo, getWorkingDirectory, isShellIdle } from './process-tools.ts'
import { getCellAttributes, getCursorPosition, readScreen } from './screen-tools.ts'
import { saveScreenshot, screenshot } from './screenshot-tools.ts'
import { readScrollback, searchScrollback } from './scrollback-tools.ts'
import type { FindSubject } from './subject.ts'
import { listDetectedUrls } from './url-tools.ts'
import type { Viewers } from './viewers.ts'
import { checkCondition } from './wait.ts'
import type { RunWait, WaitDeps } from './wait-tool.ts'
import { createRunWait, createWaitTool } from './wait-tool.ts'
import { whileOn } from './while-on.ts'
import { createWindowTools } from './window-tools.ts'

export type { Subject } from './subject.ts'
export { createViewers } from './viewers.ts'

export interface TerminalTools {
  /** For people: each tool takes `session` first. */
  readonly managementProvider: Provider
  /** For the agent of one session: without `session`, and of the tools only those that are on at the moment. */
  ownProvider(options: OwnProviderOptions): Provider
  /** The whole of wait_for, for whoever offers the same under another name. */
  readonly runWait: RunWait
  /** Throws where nobody could wait for it, whatever the terminal shows. */
  checkWait(input: Pick<WaitInput, 'for' | 'value'>): Promise<void>
}

export interface OwnProviderOptions {
  /** Its id. */
  readonly session: string
  /** Of the names: `terminal_` in a compositor, nothing on a socket of its own. */
  readonly prefix: string
  isOn(name: TerminalToolName): boolean
  /** Called when that may have changed. Returns the way to stop. */
  onSwitch(listener: () => void): () => void
}

export interface TerminalToolsDeps extends WaitDeps {
  readonly find: FindSubject
  readonly viewers: Viewers
}

const toolset = 'terminal'

export function createTerminalTools({ find, viewers, ...waitDeps }: TerminalToolsDeps): TerminalTools {
  const runWait = createRunWait(waitDeps)
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
  ]
  const forPeople = tools.map((tool) => tool.forPeople(find))
  const byName = new Map(tools.map((tool) => [tool.name, tool]))

  return {
    managementProvider: { toolset, tools: () => forPeople },
    ownProvider({ session, prefix, isOn, onSwitch }) {
      const ownTool = (name: TerminalToolName) =>
        whileOn(
          byName.get(name)!.forAgent(() => find(session), prefix),
          {
            isOn: () => isOn(name),
            onChange: onSwitch,
          },
        )
      // Made once: the endpoint describes a tool by the object it is.
      const own = terminalToolNames.map((name) => ({
        name,
        // However it is reached, it is the same tool to a policy.
        tool: { ...ownTool(name), policyName: `terminal_${name}` },
      }))
      return { toolset, tools: () => own.filter(({ name }) => isOn(name)).map(({ tool }) => tool) }
    },
    runWait,
    checkWait: checkCondition,
  }
}
