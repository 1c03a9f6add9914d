/** A real program in a real terminal, with the terminal tools of people and of its agent. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Activity, TerminalSize } from '../../src/api/session.ts'
import type { TerminalSettings, TerminalToolName } from '../../src/api/terminal-tools.ts'
import { defaultTerminalSettings } from '../../src/api/terminal-tools.ts'
import { HubError } from '../../src/base/hub-error.ts'
import type { Face } from '../../src/endpoint/endpoint.ts'
import { createFace } from '../../src/endpoint/endpoint.ts'
import type { Call, CallToolResult } from '../../src/mcp/mcp.ts'
import type { TargetSession, TerminalSessions } from '../../src/terminal-tools/terminal-tools.ts'
import { createTerminalTools, createViewers } from '../../src/terminal-tools/terminal-tools.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { testTerminals } from './terminals.ts'

export interface Toolbox {
  readonly terminal: Terminal
  readonly target: TargetSession
  readonly workspace: string
  /** The face of people. */
  readonly people: Face
  /** The tools that are switched on for the agent. */
  readonly on: Set<TerminalToolName>
  /** Also cancels running calls. */
  switchOff(name: TerminalToolName): void
  readonly agent: Face
  /** Calls a tool as a person, with the session filled in, and returns its structured result. */
  call<Result = Answer>(tool: string, args?: Args, call?: Partial<Call>): Promise<Result>
  /** Returns the error message of a call that fails. */
  failure(tool: string, args?: Args): Promise<string>
  /** Resolves when the condition holds. It is checked after each change of the terminal. */
  until(condition: () => boolean): Promise<void>
  setActivity(is: Activity['is']): void
}

type Args = Readonly<Record<string, unknown>>

/** The fields of all answers. Each tool returns some of them. */
export interface Answer {
  readonly lines: readonly string[]
  readonly screen: string
  readonly offset: number
  readonly data: string
  readonly encoding: 'utf8' | 'base64'
  readonly next_offset: number
  readonly dropped: number
  readonly snapshot: string
  readonly size: TerminalSize
  readonly total_lines: number
  readonly matches: readonly object[]
  readonly child_pid: number
  readonly running: boolean
  readonly pid: number
  readonly cmdline: string
  readonly modules: readonly { readonly name: string; readonly description: string; readonly active: boolean }[]
  readonly width: number
  readonly height: number
  readonly bytes: number
  readonly type: string
  readonly mimeType: string
}

export interface ToolboxOptions {
  readonly cols?: number
  readonly rows?: number
  /** How long a viewer counts as present after its last poll. */
  readonly graceMs?: number
  /** The limit of the journal. */
  readonly maxBytes?: number
  readonly scrollbackLines?: number
}

/** `command` is a shell line. The program ends with the test. */
export async function openToolbox(command: string, options: ToolboxOptions = {}): Promise<Toolbox> {
  const { cols = 80, rows = 24, graceMs = 15_000, maxBytes = 64 * 1024 * 1024, scrollbackLines = 2_000 } = options
  const journal = { segmentBytes: Math.min(maxBytes / 4, 1024 * 1024), maxBytes }
  const terminals = testTerminals({ journal, scrollbackLines })
  const workspace = join(terminals.directory, 'workspace')
  mkdirSync(workspace)
  const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', PS1: '$ ' }
  const program = { file: '/bin/sh', args: ['-c', command], cwd: workspace, env, cols, rows }
  const terminal = await terminals.start('s1', program)

  let settings: TerminalSettings = defaultTerminalSettings
  const target: TargetSession = {
    id: 's1',
    name: 'tester',
    workspacePath: workspace,
    workspaceFolder: undefined,
    run: { terminal },
    get settings() {
      return settings
    },
    async changeSettings(change) {
      settings = change(settings)
    },
  }
  let activity: Activity = { is: 'unknown', since: new Date().toISOString(), source: 'none', confidence: 0 }
  const activityListeners = new Set<() => void>()
  const on = new Set<TerminalToolName>()
  const switchListeners = new Set<() => void>()
  const sessions: TerminalSessions = {
    async subject(session) {
      if (session === target.id || session === target.name) return target
      throw new HubError('not-found', `No session named "${session}".`)
    },
    activityView: () => ({
      current: () => activity,
      onChange(listener) {
        activityListeners.add(listener)
        return () => activityListeners.delete(listener)
      },
    }),
    statusOf: () => (terminal.status.is === 'running' ? 'running' : 'completed'),
    toolsOf: () => [...on],
    onChange(_id, listener) {
      switchListeners.add(listener)
      return () => switchListeners.delete(listener)
    },
  }
  const tools = createTerminalTools({ sessions, viewers: createViewers({ graceMs }) })
  const own = tools.ownProvider({ session: 's1', prefix: 'terminal_' })
  const face = { info: { name: 'test', version: '0' }, instructions: '' }
  const people = createFace({ ...face, id: 'management', providers: tools.providers ?? [] })
  const agent = createFace({ ...face, id: 'compositor:s1', providers: [own] })

  async function run(tool: string, args: Args, call: Partial<Call>): Promise<CallToolResult> {
    const found = people.findTool(tool)
    if (!found) throw new Error(`there is no tool ${tool}`)
    return (await people.callTool(found, { session: 'tester', ...args }, toCall(call))) as CallToolResult
  }

  return {
    terminal,
    target,
    workspace,
    people,
    on,
    agent,
    async call<Result>(tool: string, args: Args = {}, call: Partial<Call> = {}) {
      const result = await run(tool, args, call)
      if (result.isError) throw new Error(textOf(result))
      const [block] = result.content
      return (result.structuredContent ?? (block?.type === 'text' ? JSON.parse(block.text) : block)) as Result
    },
    async failure(tool, args = {}) {
      const result = await run(tool, args, {})
      if (!result.isError) throw new Error(`${tool} did not fail: ${textOf(result)}`)
      return textOf(result)
    },
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          stop()
          resolve()
        }
        const stop = terminal.onChange(look)
        look()
      }),
    switchOff(name) {
      on.delete(name)
      for (const listener of switchListeners) listener()
    },
    setActivity(is) {
      activity = { ...activity, is }
      for (const listener of activityListeners) listener()
    },
  }
}

/** A call with only the fields that these tools use. */
export function toCall(call: Partial<Call> = {}): Call {
  const caller = { tokenId: 't1', role: 'human' as const }
  const made = { caller, correlation: 'c1', signal: new AbortController().signal, progress: () => {}, ...call }
  return { ...made, with: (change: Partial<Call>) => toCall({ ...made, ...change }) } as Call
}

function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
