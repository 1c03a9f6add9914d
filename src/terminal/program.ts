/** The state of a terminal's program, from the system and from its shell's marks. */
import type { TerminalStatus } from './follow-holder.ts'
import { isInteractiveShell } from './interactive-shell.ts'
import type { ProcessDescription } from './process-table.ts'
import { processTable } from './process-table.ts'
import { programNames } from './program-names.ts'
import type { Screen } from './screen/screen.ts'

/** bubblewrap runs beside the program that it confines, and once more as its parent inside. */
const maxWrappers = 3

/** The program itself, if it runs in a sandbox. */
async function programIn(pid: number): Promise<number> {
  let found = pid
  for (let depth = 0; depth < maxWrappers; depth++) {
    if ((await processTable.command(found)) !== 'bwrap') break
    const [child] = await processTable.children(found)
    if (child === undefined) break
    found = child
  }
  return found
}

/** The foreground process: the shell itself, or the command it runs. */
export async function foregroundOf(status: TerminalStatus): Promise<ProcessDescription | undefined> {
  for (const pid of await foregroundPids(status)) {
    const found = await processTable.describe(pid)
    if (found) return found
  }
  return undefined
}

/** The leader of the foreground group comes first. It may have ended. */
async function foregroundPids(status: TerminalStatus): Promise<readonly number[]> {
  if (status.is !== 'running') return []
  const program = await programIn(status.pid)
  const groups = await processTable.groups(program)
  if (groups === undefined) return []
  const { own, foreground } = groups
  if (foreground === own) return [program]
  return [...new Set([foreground, ...(await processTable.membersOf(foreground, program))])]
}

/** The names of the foreground processes and their descendants. */
export async function foregroundPrograms(status: TerminalStatus): Promise<readonly string[]> {
  const pids = await foregroundPids(status)
  return [...new Set((await Promise.all(pids.map((pid) => programNames(pid)))).flat())]
}

export async function workingDirectoryOf(status: TerminalStatus): Promise<string | undefined> {
  const foreground = await foregroundOf(status)
  return foreground && processTable.workingDirectory(foreground.pid)
}

/**
 * A shell that marks its prompts says itself whether it is idle. Any other shell is idle while none of its commands has
 * the foreground. A program that is not a shell, or a shell that runs a command line or a script, is never idle.
 */
export async function isIdle(status: TerminalStatus, shellState: Screen['shellState']): Promise<boolean> {
  if (status.is !== 'running') return false
  if (shellState !== undefined) return shellState === 'prompt'
  const program = await programIn(status.pid)
  // Compares groups, not pids: in tmux the shell shares the group with the shell that waits for it.
  const groups = await processTable.groups(program)
  if (groups === undefined || groups.foreground !== groups.own) return false
  return isInteractiveShell(await processTable.words(program))
}

/**
 * A program that asks for a password keeps the terminal's line editing and switches its echo off. Full-screen programs
 * switch both off, and draw typed text themselves.
 */
export async function hidesInput(status: TerminalStatus): Promise<boolean | undefined> {
  const foreground = await foregroundOf(status)
  const modes = foreground && (await processTable.terminalModes(foreground.pid))
  return modes && modes.has('icanon') && !modes.has('echo')
}
