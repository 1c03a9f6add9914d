/** get_foreground_process, get_working_directory, is_shell_idle, get_pty_info */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import type { ProcessDescription, Terminal } from '../terminal/terminal.ts'
import { assertModule } from './subject.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

export const getForegroundProcess = defineTerminalTool({
  name: 'get_foreground_process',
  description: 'The program that has the terminal now: the shell, or what it runs.',
  input: {},
  output: z.object({ pid: z.int(), command: z.string(), cmdline: z.string() }),
  annotations: readOnly,
  run: ({ terminal }) => foregroundOf(terminal),
})

export const getWorkingDirectory = defineTerminalTool({
  name: 'get_working_directory',
  description: 'The folder in which the foreground process works.',
  input: {},
  output: z.object({ pid: z.int(), path: z.string() }),
  annotations: readOnly,
  async run({ terminal }) {
    const { pid } = await foregroundOf(terminal)
    const path = await terminal.workingDirectory()
    if (path !== undefined) return { pid, path }
    throw new HubError('unavailable', `The hub may not see where process ${pid} works: it runs as another user.`)
  },
})

export const isShellIdle = defineTerminalTool({
  name: 'is_shell_idle',
  description: 'Whether the shell is at its prompt. Not while it runs a command, nor where the program is no shell.',
  input: {},
  output: z.object({ idle: z.boolean(), shell_pid: z.int(), foreground_pid: z.int() }),
  annotations: readOnly,
  async run(subject) {
    assertModule(subject, 'idle')
    const { terminal } = subject
    const { pid } = await foregroundOf(terminal)
    return { idle: await terminal.isIdle(), shell_pid: shellPidOf(terminal), foreground_pid: pid }
  },
})

export const getPtyInfo = defineTerminalTool({
  name: 'get_pty_info',
  description: 'Size of the terminal, the pid of its program, and whether that runs.',
  input: {},
  output: z.object({
    cols: z.int(),
    rows: z.int(),
    child_pid: z.int().nullable().describe('null once it has ended.'),
    running: z.boolean(),
  }),
  annotations: readOnly,
  async run({ terminal: { size, life } }) {
    const isRunning = life.is === 'running'
    return { cols: size.cols, rows: size.rows, child_pid: isRunning ? life.pid : null, running: isRunning }
  },
})

function shellPidOf({ life }: Terminal): number {
  if (life.is === 'running') return life.pid
  throw hasEnded()
}

async function foregroundOf(terminal: Terminal): Promise<ProcessDescription> {
  const found = await terminal.foreground()
  if (found) return found
  throw hasEnded()
}

function hasEnded(): HubError {
  return new HubError('unavailable', 'The program has ended, and no process has this terminal any more.')
}
