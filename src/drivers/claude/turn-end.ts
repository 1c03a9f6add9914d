/** The end of a turn of Claude Code, or of Claude Code itself. */
import type { NewEntry, TurnStatus } from '../../api/thread.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'
import { explainFailure } from '../port/turn-failure.ts'
import { countOf } from './read-message.ts'
import type { TurnResult } from './stream-line.ts'

/** `cost`: of this turn, in dollars. */
export function turnEnd(result: TurnResult, cost: number): NewEntry {
  const status = statusOf(result)
  const reason = status === 'completed' ? undefined : reasonOf(result)
  return {
    type: 'complete',
    key: result.uuid,
    at: new Date().toISOString(),
    status,
    ...(reason !== undefined && { reason }),
    ...(result.usage && { usage: { ...countOf(result.usage), cost_usd: cost } }),
  }
}

function statusOf({ subtype, is_error: isError = false, terminal_reason: how }: TurnResult): TurnStatus {
  if (how?.startsWith('aborted') || how === 'hook_stopped') return 'interrupted'
  return subtype === 'success' && !isError ? 'completed' : 'failed'
}

function reasonOf({ subtype, terminal_reason: how, result, errors = [] }: TurnResult): string {
  if (how === 'hook_stopped') return 'The policy ended the turn.'
  if (how?.startsWith('aborted')) return 'It was interrupted.'
  const said = [result, ...errors].find((text) => text) ?? subtype.replaceAll('_', ' ')
  return failureOf(said)
}

/** Claude Code's error message, with advice where the cause is known. */
export function failureOf(said: string): string {
  return explainFailure(said, {
    login: 'log in with "claude" in a terminal of this machine, or set ANTHROPIC_API_KEY for the hub.',
    contextFull: 'send "/compact" as a prompt to shorten the conversation, or start a new session.',
  })
}

/** The last words of the program, for people. */
export function howEnded(program: PipedProgram): string {
  const { status } = program
  const lines = program.stderr().toString().trim().split('\n')
  const last = lines.at(-1) || 'It printed no error.'
  if (status.is !== 'exited') return `Claude Code is gone. ${last}`
  return `Claude Code ended with ${status.signal ?? `exit code ${status.code}`}. ${last}`
}
