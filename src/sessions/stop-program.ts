/**
 * Ending a program that somebody wants gone, and all that runs in its terminal with it: asked first, killed if it does
 * not listen. What has left the terminal for a session of its own (`setsid`) is left alone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../base/hub-error.ts'
import type { Companions, Terminal } from '../terminal/terminal.ts'
import { lookUntil } from './look.ts'

const graceMs = 3_000
const killMs = 5_000
/** What was just being started when it was killed has not got the signal. */
const killEveryMs = 250
const lookEveryMs = 20

export async function stopProgram(terminal: Terminal): Promise<void> {
  if (terminal.life.is !== 'running') return
  const companions = await terminal.companions()
  // Shells in a terminal ignore the one, some agents the other.
  if (await endsAfter(terminal, companions, ['SIGHUP', 'SIGTERM', 'SIGCONT'], graceMs)) return
  for (let waitedMs = 0; waitedMs < killMs; waitedMs += killEveryMs) {
    if (await endsAfter(terminal, companions, ['SIGKILL'], killEveryMs)) return
  }
  throw new HubError('unavailable', await whatIsLeft(terminal, companions))
}

async function endsAfter(
  terminal: Terminal,
  companions: Companions,
  signals: readonly NodeJS.Signals[],
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  if (terminal.life.is === 'running') for (const signal of signals) terminal.signal(signal)
  await companions.signal(signals)
  if (terminal.life.is === 'running' && !(await programEnds(terminal, timeoutMs))) return false
  while ((await companions.left()).length > 0) {
    if (performance.now() > deadline) return false
    await sleep(lookEveryMs)
  }
  return true
}

async function programEnds(terminal: Terminal, timeoutMs: number): Promise<boolean> {
  const options = { timeoutMs, signal: new AbortController().signal }
  return (await lookUntil(terminal, options, () => 'not-yet')) === 'ended'
}

async function whatIsLeft(terminal: Terminal, companions: Companions): Promise<string> {
  if (terminal.life.is === 'running') {
    return 'The program does not end, not even by SIGKILL. Look with get_session.'
  }
  const pids = (await companions.left()).map(({ pid }) => pid)
  return `The program has ended, but what it started does not, not even by SIGKILL: ${pids.join(', ')}. It may run as another user; end it by hand.`
}
