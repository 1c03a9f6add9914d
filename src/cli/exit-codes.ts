/** What the shell sees. One table, for the program, its help and its documentation. */
import { HubError } from '../base/hub-error.ts'
import type { HubErrorCode } from '../base/hub-error.ts'
import { CliError } from './cli-error.ts'

export const exitCodes = {
  ok: { code: 0, means: 'done' },
  failed: { code: 1, means: 'it did not work; the message says why' },
  usage: { code: 2, means: 'the command line or the configuration is wrong' },
  unauthorized: { code: 3, means: 'no token, or one the hub does not accept' },
  unreachable: { code: 4, means: 'no hub answers' },
  'tool-error': { code: 5, means: 'the tool was called and answered with an error' },
  'must-mend': { code: 6, means: '`signalbox doctor` found something to mend' },
  held: { code: 7, means: 'another hub holds the data directory' },
  'not-met': { code: 8, means: 'what was waited for did not come, or a prompt was not delivered' },
  denied: { code: 9, means: 'the policy, or a person, did not let the call through; nothing was done' },
} as const

export type Exit = keyof typeof exitCodes

const exitOfHubError: Readonly<Record<HubErrorCode, Exit>> = {
  invalid: 'usage',
  unauthorized: 'unauthorized',
  forbidden: 'unauthorized',
  'not-found': 'failed',
  conflict: 'failed',
  'too-large': 'failed',
  busy: 'failed',
  unavailable: 'failed',
}

export function exitOf(error: unknown): Exit {
  if (error instanceof CliError) return error.exit
  if (error instanceof HubError) return exitOfHubError[error.code]
  return 'failed'
}
