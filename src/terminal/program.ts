/** What the program of a terminal is doing, as far as the system and its shell tell. */
import { isInteractiveShell } from './interactive-shell.ts'
import type { ProcessDescription } from './process-table.ts'
import { processTable } from './process-table.ts'
import type { Screen } from './screen.ts'
import type { TerminalLife } from './terminal.ts'

/** The process that has the foreground: the shell itself, or what it runs. */
export async function foregroundOf(life: TerminalLife): Promise<ProcessDescription | undefined> {
  if (life.is !== 'running') return undefined
  const group = await processTable.foregroundGroup(life.pid)
  if (group === undefined) return undefined
  if (group === (await processTable.group(life.pid))) return processTable.describe(life.pid)
  const leader = await processTable.describe(group)
  if (leader) return leader
  const member = await processTable.memberOf(group, life.pid)
  return member === undefined ? undefined : processTable.describe(member)
}

export async function workingDirectoryOf(life: TerminalLife): Promise<string | undefined> {
  const foreground = await foregroundOf(life)
  return foreground && processTable.workingDirectory(foreground.pid)
}

/**
 * A shell that tells where its prompts are is believed; else it is idle while nothing it runs has the foreground. A program
 * that is no shell, or a shell that runs a line or a script, has no prompt to be at.
 */
export async function isIdle(life: TerminalLife, shellState: Screen['shellState']): Promise<boolean> {
  if (life.is !== 'running') return false
  if (shellState !== undefined) return shellState === 'prompt'
  // Its own: in tmux not its number, since it shares the group with the shell that waits for it.
  const [foreground, own, words] = await Promise.all([
    processTable.foregroundGroup(life.pid),
    processTable.group(life.pid),
    processTable.words(life.pid),
  ])
  return foreground !== undefined && foreground === own && isInteractiveShell(words)
}
