/** get_foreground_process, get_working_directory, is_shell_idle, get_pty_info */
import { z } from 'zod'
import { HubError } from '../base/hub-error.ts'
import type { ProcessDescription, Terminal } from '../terminal/terminal.ts'
import { assertModule } from './tool-target.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

export const getForegroundProcess = defineTerminalTool({
  name: 'get_foreground_process',
  description: 'The foreground program of the terminal: the shell, or the command it runs.',
  input: {},
  output: z.object({ pid: z.int(), command: z.string(), cmdline: z.string() }),
  annotations: readOnly,
  run: ({ terminal }) => foregroundOf(terminal),
})

export const getWorkingDirectory = defineTerminalTool({
  name: 'get_working_directory',
  description: 'The working directory of the foreground process.',
  input: {},
  output: z.object({ pid: z.int(), path: z.string() }),
  annotations: readOnly,
  async run({ terminal }) {
    const { pid } = await foregroundOf(terminal)
    const path = await terminal.workingDirectory()
    if (path !== undefined) return { pid, path }
    throw new HubError(
      'unavailable',
      `The hub cannot read the working directory of process ${pid}, which runs as another user.`,
    )
  },
})

export const isShellIdle = defineTerminalTool({
  name: 'is_shell_idle',
  description: 'Whether the shell is at its prompt. False if it runs a command or is not a shell.',
  input: {},
  output: z.object({ idle: z.boolean(), shell_pid: z.int(), foreground_pid: z.int() }),
  annotations: readOnly,
  async run(target) {
    assertModule(target, 'idle')
    const { terminal } = target
    const { pid } = await foregroundOf(terminal)
    return { idle: await terminal.isIdle(), shell_pid: shellPidOf(terminal), foreground_pid: pid }
  },
})

export const getPtyInfo = defineTerminalTool({
  name: 'get_pty_info',
  description: 'The size of the terminal, the pid of its program, and whether it is running.',
  input: {},
  output: z.object({
    cols: z.int(),
    rows: z.int(),
    child_pid: z.int().nullable().describe('null after its end'),
    running: z.boolean(),
  }),
  annotations: readOnly,
  async run({ terminal: { size, status } }) {
    const isRunning = status.is === 'running'
    return { cols: size.cols, rows: size.rows, child_pid: isRunning ? status.pid : null, running: isRunning }
  },
})

function shellPidOf({ status }: Terminal): number {
  if (status.is === 'running') return status.pid
  throw hasEnded()
}

async function foregroundOf(terminal: Terminal): Promise<ProcessDescription> {
  const found = await terminal.foreground()
  if (found) return found
  throw hasEnded()
}

function hasEnded(): HubError {
  return new HubError('unavailable', 'The program has ended, so no process runs in this terminal.')
}
