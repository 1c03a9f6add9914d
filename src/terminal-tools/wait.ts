/** Waiting until a terminal shows something, its program does something, or has ended. */
import type { Activity } from '../api/session.ts'
import type { WaitInput, WaitOutput } from '../api/wait.ts'
import { HubError } from '../base/hub-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { compilePattern } from '../terminal/terminal.ts'
import type { Matcher } from './matching.ts'
import { followOutput, isOnScreen, matchPattern, matchText } from './matching.ts'
import { hasEnded } from './subject.ts'
import { waitUntil } from '../base/wait-until.ts'

export type WaitCondition =
  | { readonly is: 'text' | 'regex'; readonly value: string }
  | { readonly is: 'idle' | 'waiting' | 'exit' }

/** What the program is doing, as far as it is known. */
export interface ActivityView {
  current(): Activity
  /** Returns the way to stop. */
  onChange(listener: () => void): () => void
}

export interface WaitOptions {
  /** 0: looks once. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Only output from this offset on counts; idle and waiting count once there was some. */
  readonly since?: number | undefined
  /** Needed for idle and waiting. */
  readonly activity?: ActivityView | undefined
}

export type WaitOutcome = Pick<WaitOutput, 'met' | 'reason'>

export function toCondition({ for: is, value }: Pick<WaitInput, 'for' | 'value'>): WaitCondition {
  if (is !== 'text' && is !== 'regex') {
    if (value === undefined) return { is }
    throw new HubError('invalid', `"value" is for "text" and "regex"; leave it out to wait for "${is}".`)
  }
  if (value !== undefined) return { is, value }
  throw new HubError('invalid', `"value": say which ${is === 'text' ? 'text' : 'regular expression'} to wait for.`)
}

/** Throws where nobody could wait for it, whatever the terminal shows. */
export async function checkCondition(input: Pick<WaitInput, 'for' | 'value'>): Promise<void> {
  const condition = toCondition(input)
  if (condition.is === 'regex') await compilePattern(condition.value, { ignoreCase: false })
}

/** Ends when the condition is met, the program has ended or the time is up. Rejects when the caller has left. */
export async function waitForTerminal(
  terminal: Terminal,
  condition: WaitCondition,
  options: WaitOptions,
): Promise<WaitOutcome> {
  const { timeoutMs, signal, activity } = options
  const look = await lookFor(terminal, condition, options)
  const outcome = await waitUntil<WaitOutcome>({
    sources: [(listener) => terminal.onChange(listener), (listener) => activity?.onChange(listener) ?? (() => {})],
    timeoutMs,
    signal,
    async look() {
      // Read before looking: output that came before the end has then been looked at when the end is told.
      const isOver = hasEnded(terminal)
      const reason = await look()
      if (reason !== undefined) return { met: true, reason }
      return isOver ? { met: false, reason: 'exit' } : undefined
    },
  })
  return outcome ?? { met: false, reason: 'timeout' }
}

type Look = () => Promise<WaitOutcome['reason'] | undefined>

async function lookFor(terminal: Terminal, condition: WaitCondition, options: WaitOptions): Promise<Look> {
  switch (condition.is) {
    case 'text':
      return lookForMatch(terminal, matchText(condition.value), options)
    case 'regex':
      return lookForMatch(terminal, matchPattern(await compilePattern(condition.value, { ignoreCase: false })), options)
    case 'idle':
    case 'waiting':
      return lookForActivity(terminal, condition.is, options)
    case 'exit':
      return async () => (hasEnded(terminal) ? 'exit' : undefined)
  }
}

function lookForMatch(terminal: Terminal, matcher: Matcher, { since }: WaitOptions): Look {
  const isPrinted = followOutput(terminal, matcher, since ?? terminal.screen.offset)
  return async () => {
    if (since === undefined && isOnScreen(matcher, terminal.screen)) return 'screen'
    return (await isPrinted()) ? 'output' : undefined
  }
}

function lookForActivity(terminal: Terminal, is: 'idle' | 'waiting', { since = -1, activity }: WaitOptions): Look {
  if (!activity) {
    throw new HubError(
      'unavailable',
      `What this session is doing is not known, so "${is}" cannot be waited for. Wait for "text", "regex" or "exit".`,
    )
  }
  return async () => {
    // What has ended is idle for good; its record says so a moment later.
    if (is === 'idle' && hasEnded(terminal)) return 'exit'
    return terminal.screen.offset > since && activity.current().is === is ? 'activity' : undefined
  }
}
