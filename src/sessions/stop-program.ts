/** Ending a program that somebody wants gone: asked first, killed if it does not listen. */
import { HubError } from '../base/hub-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { lookUntil } from './look.ts'

const graceMs = 3_000
const killMs = 5_000

export async function stopProgram(terminal: Terminal): Promise<void> {
  // Shells in a terminal ignore the one, some agents the other.
  if (!(await endsAfter(terminal, ['SIGHUP', 'SIGTERM', 'SIGCONT'], graceMs))) {
    if (!(await endsAfter(terminal, ['SIGKILL'], killMs))) {
      throw new HubError('unavailable', 'The program does not end, not even by SIGKILL. Look with get_session.')
    }
  }
}

async function endsAfter(terminal: Terminal, signals: readonly NodeJS.Signals[], timeoutMs: number): Promise<boolean> {
  if (terminal.life.is !== 'running') return true
  for (const signal of signals) terminal.signal(signal)
  const options = { timeoutMs, signal: new AbortController().signal }
  return (await lookUntil(terminal, options, () => 'not-yet')) === 'ended'
}
