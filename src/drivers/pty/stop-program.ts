/**
 * Ends a program and everything that runs in its terminal: first with signals that ask it to end, then with SIGKILL.
 * A process that has started a session of its own (`setsid`) is left alone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../base/hub-error.ts'
import type { OtherProcesses, Terminal } from '../../terminal/terminal.ts'
import { waitUntil } from '../../base/wait-until.ts'

const usualGraceMs = 3_000
const killMs = 5_000
/** A process that was just being started when the signal was sent has not received it. */
const killEveryMs = 250
const checkEveryMs = 20

/** `graceMs`: how long the program may take to end before it is killed. */
export async function stopProgram(terminal: Terminal, graceMs = usualGraceMs): Promise<void> {
  if (terminal.status.is !== 'running') return
  const others = await terminal.otherProcesses()
  // Shells in a terminal ignore SIGTERM; some agents ignore SIGHUP.
  if (await endsAfter(terminal, others, ['SIGHUP', 'SIGTERM', 'SIGCONT'], graceMs)) return
  for (let waitedMs = 0; waitedMs < killMs; waitedMs += killEveryMs) {
    if (await endsAfter(terminal, others, ['SIGKILL'], killEveryMs)) return
  }
  throw new HubError('unavailable', await whatIsLeft(terminal, others))
}

async function endsAfter(
  terminal: Terminal,
  others: OtherProcesses,
  signals: readonly NodeJS.Signals[],
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  if (terminal.status.is === 'running') for (const signal of signals) terminal.signal(signal)
  await others.signal(signals)
  if (terminal.status.is === 'running' && !(await programEnds(terminal, timeoutMs))) return false
  while ((await others.remaining()).length > 0) {
    if (performance.now() > deadline) return false
    await sleep(checkEveryMs)
  }
  return true
}

/** Does not wait for the screen, which may be behind. */
async function programEnds(terminal: Terminal, timeoutMs: number): Promise<boolean> {
  const hasEnded = await waitUntil({
    sources: [(listener) => terminal.onChange(listener)],
    look: () => (terminal.status.is === 'running' ? undefined : true),
    timeoutMs,
    signal: new AbortController().signal,
  })
  return hasEnded === true
}

async function whatIsLeft(terminal: Terminal, others: OtherProcesses): Promise<string> {
  if (terminal.status.is === 'running') {
    return 'The program does not end, not even after SIGKILL. Check it with get_session.'
  }
  const pids = (await others.remaining()).map(({ pid }) => pid)
  return `The program has ended, but processes it started are still alive after SIGKILL: ${pids.join(', ')}. They may run as another user; end them by hand.`
}
