/** Waits until a terminal shows something, or until its program changes its activity or ends. */
import type { ActivityView } from '../api/session.ts'
import type { WaitInput, WaitOutput } from '../api/wait.ts'
import { HubError } from '../base/hub-error.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { compileUntrustedPattern } from '../terminal/terminal.ts'
import type { Matcher } from './matching.ts'
import { followOutput, isOnScreen, matchPattern, matchText } from './matching.ts'
import { hasEnded } from './tool-target.ts'

export type WaitCondition =
  | { readonly is: 'text' | 'regex'; readonly value: string }
  | { readonly is: 'idle' | 'waiting' | 'exit' }

export interface WaitOptions {
  /** 0: checks once. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Only output from this offset counts. `idle` and `waiting` count only after there was some. */
  readonly since?: number | undefined
  /** Required for `idle` and `waiting`. */
  readonly activity?: ActivityView | undefined
}

export type WaitOutcome = Pick<WaitOutput, 'met' | 'reason'>

export function toCondition({ for: is, value }: Pick<WaitInput, 'for' | 'value'>): WaitCondition {
  if (is !== 'text' && is !== 'regex') {
    if (value === undefined) return { is }
    throw new HubError('invalid', `"value" is for "text" and "regex"; leave it out to wait for "${is}".`)
  }
  if (value !== undefined) return { is, value }
  throw new HubError('invalid', `"value": give the ${is === 'text' ? 'text' : 'regular expression'} to wait for.`)
}

/** Throws if the condition is invalid. */
export async function checkCondition(input: Pick<WaitInput, 'for' | 'value'>): Promise<void> {
  const condition = toCondition(input)
  if (condition.is === 'regex') await compileUntrustedPattern(condition.value)
}

/** Resolves when the condition is met, the program has ended or the time is up. Rejects when the caller cancels. */
export async function waitForTerminal(
  terminal: Terminal,
  condition: WaitCondition,
  options: WaitOptions,
): Promise<WaitOutcome> {
  const { timeoutMs, signal, activity } = options
  const check = await createCheck(terminal, condition, options)
  const outcome = await waitUntil<WaitOutcome>({
    sources: [(listener) => terminal.onChange(listener), (listener) => activity?.onChange(listener) ?? (() => {})],
    timeoutMs,
    signal,
    async look() {
      // Read before the check, so that all output before the end has been checked when the end is reported.
      const isOver = hasEnded(terminal)
      const reason = await check()
      if (reason !== undefined) return { met: true, reason }
      return isOver ? { met: false, reason: 'exit' } : undefined
    },
  })
  return outcome ?? { met: false, reason: 'timeout' }
}

type Check = () => Promise<WaitOutcome['reason'] | undefined>

async function createCheck(terminal: Terminal, condition: WaitCondition, options: WaitOptions): Promise<Check> {
  switch (condition.is) {
    case 'text':
      return checkMatch(terminal, matchText(condition.value), options)
    case 'regex':
      return checkMatch(terminal, matchPattern(await compileUntrustedPattern(condition.value)), options)
    case 'idle':
    case 'waiting':
      return checkActivity(terminal, condition.is, options)
    case 'exit':
      return async () => (hasEnded(terminal) ? 'exit' : undefined)
  }
}

function checkMatch(terminal: Terminal, matcher: Matcher, { since }: WaitOptions): Check {
  const isPrinted = followOutput(terminal, matcher, since ?? terminal.screen.offset)
  return async () => {
    if (since === undefined && (await isOnScreen(matcher, terminal.screen))) return 'screen'
    return (await isPrinted()) ? 'output' : undefined
  }
}

function checkActivity(terminal: Terminal, is: 'idle' | 'waiting', { since = -1, activity }: WaitOptions): Check {
  if (!activity) {
    throw new HubError(
      'unavailable',
      `The activity of this session is not known, so you cannot wait for "${is}". Wait for "text", "regex" or "exit".`,
    )
  }
  return async () => {
    // A program that has ended is idle. Its record says so only a moment later.
    if (is === 'idle' && hasEnded(terminal)) return 'exit'
    return terminal.screen.offset > since && activity.current().is === is ? 'activity' : undefined
  }
}
